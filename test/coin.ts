import assert from "node:assert/strict";
import { grantReward, type Reward } from "../src/domains/coin/rewards.ts";
import type { RewardWhy } from "../src/domains/coin/rules.ts";
import { days } from "../src/platform/kernel/time.ts";
import { inventAct } from "./invented-acts.ts";
import { times } from "./postgres-store.ts";
import type { TestAgent, TestService } from "./service.ts";

/** The cheapest act that earns. */
export const APP = { name: "A page", description: "It.", homepage: "https://a.example" };

/** Publishes an application, and resolves to what it has earned. */
export async function publish({ post }: Pick<TestAgent, "post">): Promise<Reward> {
  const { status, body } = await post("/app", APP);
  assert.equal(status, 201, JSON.stringify(body));
  return body.reward;
}

/** Grants a reward as the domains do: inside a write, for an act that the test makes up, with any source. */
export function earn(
  { service: { context } }: Pick<TestService, "service">,
  { agent_id }: Pick<TestAgent, "agent_id">,
  source: string,
  why: RewardWhy = "repo_commit",
): Promise<Reward> {
  const agent = { id: 0, agent_id };
  inventAct(agent_id, source);
  return context.write((tx) => grantReward(tx, context, { agent, why, source }));
}

/** Agents with one coin each, earned and collected; it takes 20 days. */
export async function wealthy(service: TestService, count: number): Promise<TestAgent[]> {
  const agents: TestAgent[] = [];
  for (let n = 0; n < count; n++) agents.push(await service.register());
  for (const agent of agents) await Promise.all(times(10, () => publish(agent)));
  service.pass(days(20));
  for (const agent of agents)
    assert.equal((await agent.post("/coin/claim")).body.collected, 1, "one coin");
  return agents;
}

import assert from "node:assert/strict";
import { wealthy } from "../../../test/coin.ts";
import { dice } from "../../../test/dice.ts";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../test/service.ts";
import { DAY_S, days } from "../../platform/kernel/time.ts";
import { endOverdueRequests } from "./deadlines.ts";

/** Requests with a reward; 2,000 in the long run. */
const REQUESTS = Number(process.env["TEST_REQUESTS"] ?? 60);
const A_DAY = 3;
const REWARD = 0.01;
const GOOD = "Five lines, as asked.";

/** How askers look after their requests: whether they look on a day, and what they accept. */
const ASKERS = {
  diligent: { looks: () => true, accepts: (answer: string) => answer === GOOD },
  weekly: { looks: (day: number) => day % 7 === 0, accepts: (answer: string) => answer === GOOD },
  absent: { looks: () => false, accepts: () => false },
  greedy: { looks: () => true, accepts: () => false },
  /** Names the agent whose answer counts by itself, and never looks again. */
  directed: { looks: () => false, accepts: () => false },
} as const;
type Manner = keyof typeof ASKERS;
const MANNERS: readonly Manner[] = ["diligent", "weekly", "absent", "greedy", "directed"];

interface Farm {
  readonly service: TestService;
  readonly roll: (sides: number) => number;
  readonly askers: readonly { readonly agent: TestAgent; readonly manner: Manner }[];
  readonly workers: readonly TestAgent[];
  readonly spammers: readonly TestAgent[];
  /** Open requests, and whose they are. */
  readonly open: Map<number, { readonly asker: TestAgent; readonly manner: Manner }>;
  asked: number;
}

async function askSome(farm: Farm): Promise<void> {
  const { service, askers, workers, roll, open } = farm;
  for (const { agent, manner } of askers)
    for (let n = 0; n < A_DAY && farm.asked < REQUESTS; n++) {
      const to = manner === "directed" ? workers[roll(workers.length)]?.agent_id : undefined;
      const closes_at = service.service.context.clock.now() + days(10);
      const terms = { text: "Sum it up.", ends: "accepted", reward: REWARD, closes_at, to };
      const { status, body } = await agent.post("/request", terms);
      if (status !== 201) break; // Twenty of one asker are open.
      farm.asked++;
      open.set(body.request.id, { asker: agent, manner });
    }
}

/** Spammers answer everything at once; the others some of it, later. */
async function answerSome({ open, spammers, workers, roll }: Farm): Promise<void> {
  for (const request_id of open.keys()) {
    const spammer = spammers[roll(spammers.length)];
    await spammer?.post("/request/answer", { request_id, answer: "Great question! Buy my coin." });
    const worker = workers[roll(2 * workers.length)];
    await worker?.post("/request/answer", { request_id, answer: GOOD });
  }
}

interface Answer {
  readonly id: number;
  readonly answer: string;
  readonly outcome: string | null;
}

async function judgeSome({ service, open }: Farm, day: number): Promise<void> {
  for (const [id, { asker, manner }] of open) {
    const { request } = (await service.get(`/request/${id}`)).body;
    if (request.status !== "open") open.delete(id);
    else if (ASKERS[manner].looks(day)) {
      const answers: Answer[] = (await service.get(`/request/${id}/answers`)).body.answers;
      for (const { id: answer_id, answer, outcome } of answers.filter((each) => !each.outcome)) {
        assert.equal(outcome, null);
        if (!ASKERS[manner].accepts(answer))
          await asker.post("/request/refuse", { answer_id, reason: "It is not what I asked." });
        else await asker.post("/request/accept", { request_id: id, answer_id });
      }
    }
  }
}

eachEngine("no reward goes to spam, however rarely askers look", async (service) => {
  const roll = dice("farm");
  const rich = await wealthy(service, 10);
  const team = async (size: number) =>
    Promise.all(Array.from({ length: size }, () => service.register()));
  const farm: Farm = {
    service,
    roll,
    open: new Map(),
    asked: 0,
    askers: rich.map((agent, i) => ({ agent, manner: MANNERS[i % MANNERS.length] ?? "absent" })),
    workers: await team(4),
    spammers: await team(6),
  };
  for (let day = 0; farm.asked < REQUESTS || farm.open.size > 0; day++) {
    await askSome(farm);
    await answerSome(farm);
    await judgeSome(farm, day);
    service.pass(DAY_S);
    while ((await endOverdueRequests(service.service.context)) > 0);
  }
  await service.sequenced();
  const names = (of: readonly TestAgent[]) => new Set(of.map(({ agent_id }) => agent_id));
  const [workers, spammers] = [names(farm.workers), names(farm.spammers)];
  const accepted = (await readLedger(service)).filter(({ kind }) => kind === "request_accepted");
  const paidTo = (who: ReadonlySet<string>) =>
    accepted.filter(({ body }) => who.has(`${body["to"]}`)).length;
  assert.equal(paidTo(spammers), 0, "rewards to spam");
  assert.equal(paidTo(workers), accepted.length);
  const askers = names(farm.askers.filter(({ manner }) => manner === "greedy").map((a) => a.agent));
  assert.ok(!accepted.some(({ body }) => askers.has(`${body["agent"]}`)), "the greedy pay nobody");
  assert.ok(accepted.length > REQUESTS / 5, `${accepted.length} of ${farm.asked} were paid`);
  const { supply } = (await service.get("/coin")).body;
  assert.deepEqual([supply.held_by_requests, supply.unallocated], [0, 0], "nothing is left behind");
  assert.equal(supply.circulating, rich.length);
});

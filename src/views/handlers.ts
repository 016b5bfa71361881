import type { Agent, Context } from "../context.ts";
import type { Handlers } from "../kernel/operation.ts";
import { showAgent } from "./agent.ts";
import type { views } from "./contract.ts";
import { showGoal } from "./goal.ts";
import { show, waitFor } from "./since.ts";

export const viewsHandlers: Handlers<typeof views, Context, Agent> = {
  agent: showAgent,

  goal: showGoal,

  async since(context, { since, ts, after_id, kinds, limit, wait, with: sealed }) {
    const from = since ?? ts;
    const question = { since: from, after_id, kinds: kinds?.split(","), limit };
    const { found, head_id } = await waitFor(context, question, wait);
    const entries = await show(context.read, found.slice(0, limit), sealed);
    const last = entries.at(-1);
    return {
      entries,
      count: entries.length,
      next_since: last?.at ?? from ?? context.clock.now(),
      after_id: last?.id ?? Math.max(after_id ?? 0, head_id),
      more: found.length > limit,
    };
  },
};

import type { Context } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/engine.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { NOBODY } from "../../platform/ledger/decide.ts";
import { apart } from "../../platform/ledger/forbidden.ts";
import { enactAllowed } from "../../platform/ledger/rows/enact-allowed.ts";
import { lockRequest, seen } from "./board.ts";
import { acceptInTime, giveBack, takenOf } from "./judging.ts";
import * as judging from "./judging-queries.ts";
import { requestClosed } from "./ledger.ts";
import { rows } from "./rows.ts";
import { isTimeOver, TAKEN_AFTER_S, WAITS_S } from "./rules.ts";

/** Requests that one run looks at; the next one follows in seconds. */
const DUE_MAX = 500;

/**
 * Ends the requests whose time is over: the answer of the agent that one is for counts as accepted, or the
 * reward goes back. Resolves to how many it looked at. It looks again under the lock, so two nodes end one once. One
 * that a rule forbids to end is told of after the others; nothing of it is written.
 */
export async function endOverdueRequests({
  read,
  write,
  clock,
}: Pick<Context, "read" | "write" | "clock">): Promise<number> {
  if (!clock.mayEnd()) return 0;
  const before = clock.now() - WAITS_S;
  if ((await judging.overdueWait.first(read, { before })) !== undefined)
    await write((tx) => judging.endWaits.run(tx, { before }), "upkeep");
  const due = await judging.dueRequests.all(read, { now: clock.now(), limit: DUE_MAX });
  if (due.length === 0) return 0;
  const each = await write(async (tx) => {
    const each = apart();
    for (const { id } of due) await each.attempt(() => end(tx, id, clock.now()));
    return each;
  }, "upkeep");
  each.end();
  return due.length;
}

async function end(tx: Tx, id: number, at: Seconds): Promise<void> {
  const locked = await lockRequest(tx, id);
  const { meant_for, closes_at, agent_id, reward } = locked;
  if (locked.status !== "open" || closes_at === null || agent_id === null) return;
  if (!isTimeOver(locked, at)) return;
  const answer =
    meant_for === null
      ? undefined
      : await judging.waitingAnswer.first(tx, { request: id, agent: meant_for });
  if (answer !== undefined && answer.banned_at === null) {
    const taken_at = answer.created_at + TAKEN_AFTER_S;
    if (at >= taken_at) return acceptInTime(tx, locked, answer, at);
    await judging.setDeadline.run(tx, { id, deadline_at: taken_at });
    return;
  }
  if (at < closes_at) {
    // The agent that it is for is banned: the asker has the rest of the time.
    await judging.setDeadline.run(tx, { id, deadline_at: closes_at });
    return;
  }
  const given = { request_id: id, agent: agent_id, reward_micro: reward || null };
  const before = { ...seen(locked), taken: answer === undefined ? null : takenOf(answer) };
  const closed = { before, given, now: at };
  await enactAllowed(NOBODY, tx, [requestClosed, rows.requestClosed], closed);
  await giveBack(tx, locked);
}

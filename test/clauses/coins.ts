import { OPERATOR_HANDLE } from "../../src/domains/identity/rules.ts";
import { days, MINUTE_S } from "../../src/platform/kernel/time.ts";
import type { Body, History } from "../history.ts";
import { ADA, BOB, begun, type Forged, HASH, NOBODY, whileBanned } from "./begun.ts";

// Coins, and requests that may pay them.

const NOW = begun().now;

/** A new application of Ada's. */
const act = (history: History, app_id: number): History =>
  history.add("app", { app_id, agent: ADA, name_sha256: HASH, description_sha256: HASH });

const reward = (history: History, id: number, changed: Body = {}): History =>
  history.add("coin_reward", {
    ...{ entitlement_id: id, agent: ADA, amount_micro: 100_000 },
    ...{ why: "app", source: `app/${id}`, granted_at: history.now },
    ...{ matures_at: history.now + days(20), expires_at: history.now + days(40) },
    ...changed,
  });

function granted(count: number, changed: Body = {}): History {
  const history = begun();
  for (let id = 1; id < count; id++) reward(act(history, id), id);
  return reward(act(history, count), count, changed);
}

const collect = (history: History, changed: Body = {}): History => {
  const all = { amount_micro: 300_000, count: 3, entitlements: "1,2,3" };
  return history.add("coin_claim", { coin_claim_id: 1, agent: ADA, ...all, ...changed });
};

/** Ada has 0.3 coins. */
const rich = (): History => collect(granted(3).pass(days(20)));

const expire = (after_s: number, amount_micro: number): History =>
  granted(1).pass(after_s).add("coin_expire", { entitlement_id: 1, agent: ADA, amount_micro });

const send = (history: History, changed: Body): History =>
  history.add("coin_transfer", {
    ...{ transfer_id: 1, from: ADA, to: BOB, amount_micro: 1 },
    ...changed,
  });

const ofRequest = { request_id: 1, agent: ADA };

const ask = (history: History, more: Body = {}): History =>
  history.add("request", { ...ofRequest, text_sha256: HASH, ...more });

/** A request that ends with an accepted answer. */
const seek = (history: History, more: Body = {}): History =>
  ask(history, { ends: "accepted", closes_at: history.now + days(7), ...more });

const answer = (history: History, more: Body = {}): History =>
  history.add("request_answer", {
    ...{ answer_id: 1, request_id: 1, agent: BOB, answer_sha256: HASH },
    ...more,
  });

const accept = (history: History, more: Body = {}): History =>
  history.add("request_accepted", { ...ofRequest, answer_id: 1, to: BOB, by: "asker", ...more });

const withdraw = (history: History, more: Body = {}): History =>
  history.add("request_withdrawn", { request_id: 1, by: "asker", ...more });

const refuse = (history: History, more: Body = {}): History =>
  history.add("request_refused", {
    ...{ ...ofRequest, answer_id: 1, to: BOB, reason_sha256: HASH },
    ...more,
  });

const close = (history: History, more: Body = {}): History =>
  history.add("request_closed", { ...ofRequest, ...more });

const message = (history: History, n: number, agent = ADA): History =>
  history.add("request_message", { request_id: 1, agent, text_sha256: HASH }, `1/${n}`);

const want = (wanted: 0 | 1, n: number): History =>
  ask(begun()).add("request_wanted", { ...ofRequest, wanted }, `1/${n}`);

export const coins: Forged = {
  // The most that the pool ever holds is asked for under later rules, whose amount may be another.
  "coin_reward.pool": () =>
    reward(act(begun().add("rules_adopted", { rules: 2 }), 1), 1, {
      amount_micro: 50_000_000_000_001,
    }),
  "coin_reward.act": () => granted(1, { source: "app/2" }),
  "coin_reward.reason": () => granted(1, { why: "task_pass" }),
  "coin_reward.time": () => reward(act(begun(), 1).pass(5 * MINUTE_S + 1), 1),
  "coin_reward.amount": () => granted(1, { amount_micro: 100_001 }),
  "coin_reward.terms": () => granted(1, { expires_at: NOW + days(41) }),
  "coin_reward.daily": () => granted(11),
  "coin_claim.own": () => collect(granted(3).pass(days(20)), { agent: BOB }),
  "coin_claim.early": () => collect(granted(3).pass(days(20) - 1)),
  "coin_claim.late": () => collect(granted(3).pass(days(40))),
  "coin_claim.sum": () => collect(granted(3).pass(days(20)), { amount_micro: 300_001 }),
  "coin_expire.live": () => expire(days(40), 99_999),
  "coin_expire.early": () => expire(days(40) - 1, 100_000),

  "coin_claim.banned": () => whileBanned(collect(granted(3).pass(days(20))), ADA),
  "coin_transfer.banned": () => whileBanned(send(rich(), {}), ADA),
  "coin_transfer.toBanned": () => whileBanned(send(rich(), {}), BOB),
  "coin_transfer.toNetwork": () =>
    send(rich().add("agent", { agent: NOBODY, handle: OPERATOR_HANDLE }), { to: NOBODY }),
  "request.banned": () => whileBanned(ask(begun()), ADA),
  "request.toBanned": () => whileBanned(seek(begun(), { to: BOB }), BOB),
  "request_answer.banned": () => whileBanned(answer(ask(begun())), BOB),
  "request_accepted.banned": () => whileBanned(accept(answer(seek(begun()))), ADA),
  "request_accepted.toBanned": () => whileBanned(accept(answer(seek(begun()))), BOB),
  "request_refused.banned": () => whileBanned(refuse(answer(seek(begun()))), ADA),
  "coin_transfer.unknown": () => send(rich(), { to: NOBODY }),
  "coin_transfer.balance": () => send(rich(), { amount_micro: 300_001 }),

  "request.unknown": () => ask(begun(), { agent: NOBODY }),
  "request.form": () => ask(begun(), { questions: 1 }),
  "request.to": () => seek(begun(), { to: NOBODY }),
  "request.balance": () => seek(begun(), { reward_micro: 10_000 }),
  "request.reward": () => seek(rich(), { reward_micro: 9_999 }),
  "request_answer.unknown": () => answer(begun()),
  "request_answer.agent": () => answer(ask(begun()), { agent: NOBODY }),
  "request_message.unknown": () => message(begun(), 1),
  "request_message.asker": () => message(ask(begun()), 1, BOB),
  "request_message.count": () => message(ask(begun()), 2),
  "request_answer.waits": () => answer(seek(begun()), { sort: "question", waits: 1 }),
  "request_wanted.unknown": () => begun().add("request_wanted", { ...ofRequest, wanted: 0 }, "1/1"),
  "request_wanted.same": () => want(1, 1),
  "request_wanted.count": () => want(0, 2),
  "request_accepted.asker": () => accept(answer(seek(begun())), { agent: BOB }),
  "request_accepted.unknown": () => accept(begun()),
  "request_accepted.early": () =>
    accept(answer(seek(begun(), { to: BOB })).pass(days(3) - 1), { by: "deadline" }),
  "request_accepted.reward": () =>
    accept(answer(seek(rich(), { reward_micro: 10_000 })), { reward_micro: 9_999 }),
  "request_refused.asker": () => refuse(answer(seek(begun())), { agent: BOB }),
  "request_refused.unknown": () => refuse(begun()),
  "request_closed.unknown": () => close(ask(begun())),
  "request_closed.ended": () => close(withdraw(seek(begun()), { agent: ADA }).pass(days(7))),
  "request_closed.early": () => close(seek(begun()).pass(days(7) - 1)),
  "request_closed.reward": () => close(seek(begun()).pass(days(7)), { agent: BOB }),
  "request_withdrawn.unknown": () => withdraw(begun()),
  "request_withdrawn.again": () => withdraw(close(seek(begun()).pass(days(7))), { agent: ADA }),
  "request_withdrawn.reward": () => withdraw(seek(begun()), { agent: BOB }),
};

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Body, begunHistory, type History } from "../../../test/history.ts";
import { DAY_S, days } from "../../platform/kernel/time.ts";

const [ADA, BOB] = ["ag_aaaaaaaaaaaaaaaaaaaa", "ag_bbbbbbbbbbbbbbbbbbbb"];
const HASH = "a".repeat(64);
const REWARD_MICRO = 100_000;

/** A reward for a new act of Ada's. */
function grant(history: History, entitlement_id: number, ref?: string): History {
  const app_id = history.entries.length;
  const hashes = { name_sha256: HASH, description_sha256: HASH };
  const granted_at = history.now;
  const times = {
    granted_at,
    matures_at: granted_at + days(20),
    expires_at: granted_at + days(40),
  };
  return history.add("app", { app_id, agent: ADA, ...hashes }).add(
    "coin_reward",
    {
      entitlement_id,
      agent: ADA,
      amount_micro: REWARD_MICRO,
      why: "app",
      source: `app/${app_id}`,
      ...times,
    },
    ref,
  );
}

/** A ledger in which Ada was granted so many rewards, from 1 on. */
function granted(count: number): History {
  const history = begunHistory([ADA, BOB]);
  for (let id = 1; id <= count; id++) grant(history, id);
  return history;
}

const claim = (history: History, coin_claim_id: number, changed: Body = {}): History =>
  history.add("coin_claim", {
    coin_claim_id,
    agent: ADA,
    amount_micro: 2 * REWARD_MICRO,
    count: 2,
    entitlements: "1,2",
    ...changed,
  });

const OWN = "coin_claim: Each entitlement is the agent's own, rising, and collected once.";
const SUM = "coin_claim: A claim is the count and the sum of its entitlements.";

test("a reward is granted once", () => {
  assert.deepEqual(granted(2).refused(), []);
  assert.deepEqual(grant(granted(1), 1).refused(), [
    "coin_reward: There is such an entry already.",
  ]);
  assert.deepEqual(grant(granted(1), 1, "2").refused(), [
    "coin_reward: Its ref is not what its body names.",
  ]);
});

test("an entitlement is collected once, whole and by its agent", () => {
  const matured = (count = 2) => granted(count).pass(days(20));
  assert.deepEqual(claim(matured(), 1).refused(), []);
  for (const [changed, sentence] of [
    [{ agent: BOB }, OWN],
    [{ amount_micro: 2 * REWARD_MICRO - 1 }, SUM],
    [{ count: 1 }, SUM],
    [{ entitlements: "1,1" }, OWN],
    [{ entitlements: "2,1" }, OWN],
    [{ entitlements: "1,9" }, OWN],
  ] as const)
    assert.deepEqual(claim(matured(), 1, changed).refused(), [sentence], JSON.stringify(changed));
  assert.deepEqual(claim(claim(matured(4), 1), 2).refused(), [OWN], "collected twice");
});

test("a reward that expires goes back once", () => {
  const expire = (history: History, ref = "1", changed: Body = {}) =>
    history.add(
      "coin_expire",
      { entitlement_id: 1, agent: ADA, amount_micro: REWARD_MICRO, ...changed },
      ref,
    );
  const over = () => granted(1).pass(days(40));
  assert.deepEqual(expire(over()).refused(), []);
  const live = "coin_expire: Only a reward that was granted and not collected expires, whole.";
  assert.deepEqual(expire(over(), "1", { amount_micro: 1 }).refused().slice(0, 1), [live]);
  assert.deepEqual(expire(expire(over())).refused(), [
    "coin_expire: There is such an entry already.",
  ]);
  const collected = claim(granted(2).pass(days(20)), 1).pass(days(20));
  assert.deepEqual(expire(collected).refused(), [live]);
});

test("an agent earns ten rewards a day", () => {
  assert.deepEqual(grant(granted(10), 11).refused(), [
    "coin_reward: An agent earns 10 rewards a UTC day.",
  ]);
  assert.deepEqual(grant(granted(10).pass(DAY_S), 11).refused(), []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { ACT_REFUSES } from "../src/domains/identity/keys/act-rule.ts";
import { agentKey } from "../src/domains/identity/keys/ledger.ts";
import { replayLedger } from "../src/domains/transitions.ts";
import { actText } from "../src/platform/kernel/proof/act-text.ts";
import { DAY_S, HOUR_S } from "../src/platform/kernel/time.ts";
import { PLATFORM } from "../src/platform/ledger/platform.ts";
import { newPair, type Pair } from "./act-keys.ts";
import { ADA, begun, OPERATOR } from "./clauses/begun.ts";
import { announce, announced, key, lost, NEXT, pause, resumed, rotate } from "./clauses/network.ts";
import type { History } from "./history.ts";
import { PAYER } from "./order-history.ts";

// A refused entry has its effect in the replay, as it has in rows. It proves nothing to the entries after it, and a
// number that it names is not the measure of the next one.

const [OWN, THIEF] = [newPair(), newPair()];

const PAYMENT = { txid: "A".repeat(64), amount_raw: "1", from: PAYER };

/** Ada with a key; its own introduction is act 1. */
const keyed = (): History => key(begun(), OWN, { n: 1 });

interface Numbers {
  /** Of the key. */
  readonly n?: number;
  readonly by?: Pair;
}

/** A payout address of Ada's, which her key signs. */
function act(history: History, number: number, { n = 1, by = OWN }: Numbers = {}): History {
  const addresses = history.entries.filter(({ kind }) => kind === "payout_address").length;
  const address_sha256 = `${addresses + 1}`.repeat(64);
  const not_after = history.now + HOUR_S;
  const { genesis } = history;
  const of = { genesis, epoch: 1, agent: ADA, kind: "payout_address" };
  const body = { agent: ADA, address_sha256 };
  const signature = by.sign(actText({ ...of, key: n, act: number, not_after, body }));
  return history.add(
    "payout_address",
    {
      ...{ ...body, usable_from: history.now + DAY_S },
      ...{ key: n, act: number, not_after, act_signature: signature },
    },
    `${ADA}/${addresses + 1}`,
  );
}

const said = (kind: string, { sentence }: { readonly sentence: string }) => `${kind}: ${sentence}`;

test("a refused act does not count", () => {
  const history = act(act(act(keyed(), 3), 2, { by: THIEF }), 2);
  assert.deepEqual(history.refused(), [
    said("payout_address", ACT_REFUSES.gap),
    said("payout_address", ACT_REFUSES.signature),
  ]);
  const again = act(history, 2);
  assert.deepEqual(again.refused().slice(2), [said("payout_address", ACT_REFUSES.stale)]);
});

test("a refused key signs nothing, and the one before it still does", () => {
  const stolen = act(key(keyed(), THIEF, { n: 2 }), 3, { n: 2, by: THIEF });
  const found = [said("agent_key", agentKey.refuses.old), said("payout_address", ACT_REFUSES.key)];
  assert.deepEqual(stolen.refused(), found);
  assert.deepEqual(act(stolen, 2).refused(), found);
});

test("a refused loss takes no key", () => {
  const early = lost(keyed(), 1, { pubkey: THIEF.pubkey, takes_effect_at: begun().now + DAY_S });
  const taken = key(early.live(8), THIEF, { n: 2 });
  assert.deepEqual(taken.refused().slice(1), [said("agent_key", agentKey.refuses.old)]);
});

test("an objection that is refused keeps no key", () => {
  const named = lost(keyed(), 1, { pubkey: THIEF.pubkey });
  const objected = named.add("agent_key_kept", { agent: ADA, attempt: 1 }).live(8);
  assert.deepEqual(key(objected, THIEF, { n: 2 }).refused(), [
    said("agent_key_kept", ACT_REFUSES.unsigned),
  ]);
});

test("a number that is refused is not the measure of the next one", () => {
  const paused = pause(announced(begun(), "limit_added"), 7, HOUR_S, 1).pass(2 * HOUR_S);
  assert.equal(pause(announced(paused, "limit_added", 2), 2, HOUR_S).refused().length, 1);
  const tried = lost(keyed(), 5).live(31);
  assert.equal(lost(tried, 2).refused().length, 1);
});

test("a refused announcement announces nothing, and counts", () => {
  const unsigned = announce(begun(), "limit_added", OPERATOR, { signature: THIEF.sign("it") });
  assert.equal(pause(unsigned, 1, HOUR_S).refused().length, 2);
  assert.equal(announced(unsigned, "limit_added", 2).refused().length, 2);
});

test("a key that the operator's did not sign signs no announcement", () => {
  const rotated = rotate({ signature_old: THIEF.sign("it") }, begun());
  assert.equal(announce(rotated, "news", NEXT).refused().length, 2);
  assert.equal(announced(rotated, "news", 2).refused().length, 2);
});

test("what a refused ledger_resumed counts is still late", () => {
  const late = (skipped: number): History => {
    const history = begun().live(2).pass(HOUR_S);
    resumed(history, history.entries.length - skipped).add("payment_unmatched", PAYMENT);
    const paid = history.entries.pop();
    assert.ok(paid);
    const body = { ...paid.body, made_at: history.now - HOUR_S / 2 };
    history.entries.push({ ...paid, body });
    return history;
  };
  assert.deepEqual([late(0).refused().length, late(1).refused().length], [0, 2]);
});

test("an entry that is not there yet cannot be acknowledged", () => {
  const history = begun().add("breach_acknowledged", { of: 9, reason: "It." });
  const replay = replayLedger(PLATFORM);
  for (const entry of history.entries) replay.add(entry);
  assert.deepEqual([...replay.state.acknowledged], []);
});

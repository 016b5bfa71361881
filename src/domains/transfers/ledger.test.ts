import assert from "node:assert/strict";
import { test } from "node:test";
import { type Body, begunHistory, type History } from "../../../test/history.ts";
import { accountText } from "../../platform/chain/account.ts";
import { publicKeyOf } from "../../platform/kernel/nano.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import { USED_BEFORE } from "./ledger.ts";

const ADA = "ag_aaaaaaaaaaaaaaaaaaaa";
const OWN = accountText(publicKeyOf("A".repeat(64)) ?? assert.fail());

const contribute = (history: History, contribution_id: number, changed: Body = {}): History =>
  history.add("contribution", {
    contribution_id,
    agent: ADA,
    currency: "xno",
    verification: "checked",
    txid: String(contribution_id).repeat(64),
    amount_raw: `${10n ** 30n}`,
    amount: "1",
    proof: "send_chain",
    usd_micro: 800_000,
    rate: "0.8",
    rate_source: "static:default",
    from_sha256: sha256Hex(OWN),
    ...changed,
  });

const DECLARED = {
  currency: "xmr",
  verification: "declared",
  amount_raw: undefined,
  proof: undefined,
  rate: undefined,
  usd_micro: undefined,
  rate_source: undefined,
  from_sha256: undefined,
};

test("an account is the network's own from its entry on", () => {
  const named = contribute(begunHistory([ADA]), 1).add("own_account", {
    n: 1,
    role: "project",
    account: OWN,
  });
  assert.deepEqual(named.refused(), []);
  assert.deepEqual(contribute(named, 2).refused(), [
    "contribution: Money of the network's own accounts is no contribution.",
  ]);
});

test("a transfer has one use, in whatever notation", () => {
  const once = () => contribute(begunHistory([ADA]), 1, { txid: "A".repeat(64) });
  assert.deepEqual(contribute(once(), 2).refused(), []);
  const second = [`contribution: ${USED_BEFORE.sentence}`];
  for (const again of [{ txid: "a".repeat(64) }, { receive_txid: "A".repeat(64) }])
    assert.deepEqual(contribute(once(), 2, again).refused(), second);
  const sealed = (history: History, id: number, name: string) =>
    contribute(history, id, { ...DECLARED, txid: undefined, txid_sha256: sha256Hex(name) });
  const parcels = sealed(begunHistory([ADA]), 1, "A parcel");
  assert.deepEqual(sealed(parcels, 2, "Another").refused(), []);
  assert.deepEqual(sealed(parcels, 3, "A parcel").refused(), second);
});

test("only a declared contribution makes way, and once", () => {
  const declared = () => contribute(begunHistory([ADA]), 1, DECLARED);
  const superseded = (history: History, ref = "1", contribution_id = 1): History =>
    history.add("contribution_superseded", { contribution_id, by: "payout/9" }, ref);
  const never = "payout: A declared contribution made way for it, and it never came.";
  assert.deepEqual(superseded(declared()).refused(), [never]);
  const refused = "contribution_superseded: Only a declared contribution is superseded, and once.";
  assert.deepEqual(superseded(declared(), "2", 2).refused(), [refused]);
  assert.deepEqual(superseded(superseded(declared())).refused(), [
    "contribution_superseded: There is such an entry already.",
    never,
  ]);
});

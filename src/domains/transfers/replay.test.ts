import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestService } from "../../../test/service.ts";
import { statement } from "../../../test/statement.ts";
import { eachEngineWithChain } from "../../../test/treasury-service.ts";
import { RAW_PER_XNO } from "../../platform/kernel/nano.ts";
import { emptyActs } from "../../platform/ledger/acts.ts";
import { emptyLedger } from "../../platform/ledger/ledger.ts";
import { PLATFORM } from "../../platform/ledger/platform.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import { emptyIdentity } from "../identity/ledger.ts";
import { emptyTransfers, followUse } from "./ledger.ts";
import { transferReplay } from "./replay.ts";

type Body = Readonly<Record<string, string | number>>;

/** What the register says of entries with these kinds and bodies, numbered from 1; the rules say the same at once. */
function broken(entries: readonly (readonly [kind: string, body: Body])[], names: string[] = []) {
  const replay = transferReplay();
  for (const [i, [kind, body]] of entries.entries()) replay.add({ id: i + 1, kind, body });
  const found = () => replay.breaches().map(({ ledger_id }) => `I13 ${ledger_id}`);
  const state = {
    ...emptyLedger(PLATFORM),
    ...emptyIdentity(),
    ...emptyActs(),
    ...emptyTransfers(),
  };
  const refused = entries.flatMap(([kind, body], i) =>
    followUse(state, { kind, body }) === undefined ? [] : [`I13 ${i + 1}`],
  );
  assert.deepEqual(refused, found());
  for (const name of names) replay.learn(name);
  return found();
}

const hash = (digit: number): string => String(digit).repeat(64);
const other = (name: string): Body => ({ currency: "other", txid_sha256: sha256Hex(name) });
const xno = (txid: string): Body => ({ currency: "xno", txid });
const checked = (id: number, of: Body) =>
  ["contribution", { ...of, contribution_id: id, verification: "checked" }] as const;
const declared = (id: number, of: Body) =>
  ["contribution", { ...of, contribution_id: id, verification: "declared" }] as const;
const gone = (id: number, by: string) =>
  ["contribution_superseded", { contribution_id: id, by }] as const;
const payment = (order_id: number, n: number, of: Body) =>
  ["order_payment", { ...of, order_id, n }] as const;
const payout = (order_id: number, of: Body) => ["payout", { ...of, order_id }] as const;

test("one transfer has one use that takes it, whatever its notation", () => {
  assert.deepEqual(broken([checked(1, xno(hash(1))), payment(7, 1, xno(hash(2)))]), []);
  const upper = xno("A".repeat(64));
  for (const second of [
    checked(2, xno("a".repeat(64))),
    payment(7, 1, upper),
    payout(7, upper),
    ["refund", { ...upper, order_id: 7, n: 1 }] as const,
    declared(2, { currency: "xmr", txid: "a".repeat(64) }),
  ])
    assert.deepEqual(broken([checked(1, upper), second]), ["I13 2"], second[0]);
  assert.deepEqual(broken([payout(7, other("cash")), payout(8, other("cash"))]), ["I13 2"]);
});

test("a use that takes a declared transfer follows the entry that says so", () => {
  const of = { currency: "xmr", txid: hash(3) };
  const before = declared(1, of);
  assert.deepEqual(broken([before, gone(1, "contribution/2"), checked(2, xno(hash(3)))]), []);
  assert.deepEqual(broken([before, checked(2, xno(hash(3)))]), ["I13 2"]);
  const another = [before, gone(1, "payout/9"), checked(2, xno(hash(3)))];
  assert.deepEqual(broken(another), ["I13 3"]);
  const twice = [before, gone(1, "payout/9"), payout(9, xno(hash(3))), payout(9, xno(hash(3)))];
  assert.deepEqual(broken(twice), ["I13 4"]);
});

test("a transfer that is sealed by its hash is known once its name is", () => {
  const entries = [declared(1, other(` 0x${hash(4)}`)), checked(2, xno(hash(4)))];
  assert.deepEqual(broken(entries), []);
  assert.deepEqual(broken(entries, [` 0x${hash(4)}`]), ["I13 2"]);
});

const change = ({ service }: TestService, sql: string) => {
  const plan = statement(sql);
  return service.context.write((tx) => tx.run(plan, []));
};

eachEngineWithChain("the register keeps what it holds", async (service, payers) => {
  const ada = await service.register();
  await ada.post("/contribute", { currency: "xno", txid: payers.pay(RAW_PER_XNO).send });
  for (const sql of [
    "delete from chain_tx",
    "update chain_tx set key = 'another'",
    "update chain_tx set checked = 0",
    "update chain_tx set used_by = 'payout/1'",
  ])
    await assert.rejects(change(service, sql), sql);
});

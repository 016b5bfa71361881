import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_S } from "../kernel/time.ts";
import { sha256Hex } from "../ledger/sha256.ts";
import { type PayeeEntry, payeeReplay } from "./payees.ts";

type Step = readonly [kind: string, body: PayeeEntry["body"], at?: number | undefined];

/** The rules that entries break, without the words before them. */
function broken(steps: readonly Step[]): string[] {
  const replay = payeeReplay();
  return steps.flatMap(([kind, body, at = 0]) =>
    replay.add({ kind, at, body }).map((rule) => rule.replace("I16, order 1 ", "")),
  );
}

/** Steps of which the one with this place is another. */
const changed = (steps: readonly Step[], place: number, body: object): Step[] =>
  steps.map(([kind, before, at], i) => [kind, i === place ? { ...before, ...body } : before, at]);

const [order_id, CENT] = [1, String(10n ** 28n)];
const own = ["own_account", { role: "escrow", account: "nano_escrow" }] as const;
const order = ["order", { order_id, seller: "ag_ada", escrow: "nano_escrow" }] as const;
const paidBy = (name: string): Step => [
  "order_payment",
  { order_id, n: 1, from_sha256: sha256Hex(name) },
];
const owed = (n: number, name: string, more: object = {}): Step => [
  "refund_due",
  { order_id, n, amount_raw: CENT, why: "operator", to_sha256: sha256Hex(name), ...more },
];
const refund = { order_id, n: 1, amount_raw: CENT, to: "nano_bob", checked: 1 };

test("an invoice names an account of the network's own", () => {
  assert.deepEqual(broken([own, order]), []);
  const foreign = "is to be paid to a foreign account";
  assert.deepEqual(broken(changed([own, order], 1, { escrow: "nano_mallory" })), [foreign]);
  assert.deepEqual(broken([["own_account", { role: "project", account: "nano_p" }], order]), []);
  const { escrow: _, ...old } = order[1];
  assert.deepEqual(broken([own, ["order", old]]), [], "an earlier version did not tell it");
});

test("a debt is owed to an account that paid", () => {
  const steps = [own, order, paidBy("nano_bob"), owed(1, "nano_bob")];
  assert.deepEqual(broken(steps), []);
  const other = changed(steps, 3, { to_sha256: sha256Hex("nano_mallory") });
  assert.deepEqual(broken(other), ["owes debt 1 to an account that paid nothing"]);
  const untold: Step = ["order_payment", { order_id, n: 2 }];
  assert.deepEqual(broken([...other.slice(0, 3), untold, ...other.slice(3)]), []);
});

test("a refund pays open debts in full, to their account, and ends its order with dust", () => {
  const of = (debts: readonly Step[], more: object) =>
    broken([
      order,
      paidBy("nano_bob"),
      paidBy("nano_eve"),
      ...debts,
      ["refund", { ...refund, ...more }],
    ]);
  const [one, two, eves] = [owed(1, "nano_bob"), owed(2, "nano_bob"), owed(2, "nano_eve")];
  const both = { debts: "1,2", amount_raw: `2${CENT.slice(1)}` };
  assert.deepEqual(of([one, two], {}), []);
  assert.deepEqual(of([one, two], { ...both, ends: 1 }), []);
  const unowed = "pays with debt 1 what it does not owe";
  for (const more of [
    { amount_raw: "1" },
    { ...both, amount_raw: CENT },
    { ...both, debts: "1,1" },
    { ...both, debts: "1,3" },
    { ...both, n: 2 },
  ])
    assert.match(of([one, two], more).join(), /^pays with debt \d what it does not owe$/);
  assert.deepEqual(broken([order, one, ["refund", refund], ["refund", refund]]), [
    "owes debt 1 to an account that paid nothing",
    unowed,
  ]);
  const foreign = "pays debt 1 to another account than it is owed to";
  assert.deepEqual(of([one], { to: "nano_mallory" }), [foreign]);
  assert.deepEqual(of([one], { to: "nano_mallory", redirected: 1 }), []);
  assert.deepEqual(of([one, eves], both), [foreign], "one transfer is for one account");
  assert.deepEqual(of([one, eves], { ...both, redirected: 1 }), [foreign]);
  assert.deepEqual(of([one, eves], { ends: 1 }), ["ends with debt 1 and owes more than dust"]);
  const [dust, late] = [{ amount_raw: `${BigInt(CENT) - 1n}` }, { why: "extra" }];
  assert.deepEqual(of([one, owed(2, "nano_eve", dust)], { ends: 1 }), []);
  assert.deepEqual(of([one, owed(2, "nano_eve", late)], { ends: 1 }), []);
  assert.deepEqual(of([owed(1, "nano_bob", { to_sha256: undefined })], { to: "nano_eve" }), []);
});

test("a payout goes to an address in force since the release, as its seller's part", () => {
  const address = (name: string, usable_from: number): Step => [
    "payout_address",
    { agent: "ag_ada", address_sha256: sha256Hex(name), usable_from },
  ];
  const part = { order_id, agent: "ag_ada", amount_raw: "80" };
  const life: Step[] = [
    order,
    address("nano_first", DAY_S),
    address("nano_second", 3 * DAY_S),
    ["order_released", { order_id }, 5 * DAY_S],
    ["payout_due", part],
    address("nano_stolen", 6 * DAY_S),
    address("nano_third", 6 * DAY_S + 1),
  ];
  const to = (name: string, more: object = {}, at = 8 * DAY_S) =>
    broken([...life, ["payout", { ...part, to: name, checked: 1, ...more }, at]]);
  assert.deepEqual(to("nano_second"), []);
  assert.deepEqual(to("nano_third"), []);
  const foreign = "pays out to no address that its seller had in force since the release";
  assert.deepEqual(to("nano_third", {}, 6 * DAY_S - 60), [foreign], "too new");
  for (const name of ["nano_first", "nano_stolen", "nano_mallory"])
    assert.deepEqual(to(name), [foreign], name);
  assert.deepEqual(to("nano_mallory", { checked: 0 }), [], "an earlier version's word");
  assert.deepEqual(to("nano_mallory", { checked: 0, reason_sha256: "" }), [foreign]);
  const part_ = "pays out another than the seller's part";
  assert.deepEqual(to("nano_second", { amount_raw: "81" }), [part_]);
  assert.deepEqual(to("nano_second", { agent: "ag_eve" }), [part_]);
  const due = changed(life, 4, { agent: "ag_eve" });
  assert.deepEqual(broken(due), ["owes another than its seller"]);
});

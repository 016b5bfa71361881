import assert from "node:assert/strict";
import { test } from "node:test";
import { type Body, begunHistory, type History } from "../../../../test/history.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { micro } from "../../../platform/kernel/money.ts";
import { publicKeyOf } from "../../../platform/kernel/nano.ts";
import { DAY_S, HOUR_S } from "../../../platform/kernel/time.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import { baseRaw, splitOf, taggedDue } from "../amounts.ts";

// Money goes where it is owed: the rules on one order, changed in one field.

const [ADA, BOB] = ["ag_aaaaaaaaaaaaaaaaaaaa", "ag_bbbbbbbbbbbbbbbbbbbb"];
const nano = (name: string) => accountText(publicKeyOf(sha256Hex(name)) ?? assert.fail(name));
const ESCROW = nano("escrow");
const HASH = "a".repeat(64);

let hashes = 0;
const txid = () => (++hashes).toString(16).toUpperCase().padStart(64, "A");

const account = (name: string, role: "escrow" | "project" = "escrow"): Body => ({
  n: 1,
  role,
  account: name,
});

/** A market in which Ada offers something, and has two addresses. */
function market(own = account(ESCROW)): History {
  const history = begunHistory([ADA, BOB]).add("own_account", own);
  history.add("offer", {
    offer_id: 1,
    agent: ADA,
    capability_sha256: HASH,
    title_sha256: HASH,
    description_sha256: HASH,
    price_usd_micro: 10_000_000,
    sla_hours: 1,
  });
  return address(address(history, 1, "first").pass(2 * DAY_S), 2, "second").pass(DAY_S);
}

const address = (history: History, n: number, name: string): History =>
  history.add(
    "payout_address",
    { agent: ADA, address_sha256: hashOf(name), usable_from: history.now + DAY_S },
    `${ADA}/${n}`,
  );

function priceIn(history: History) {
  const base_raw = `${baseRaw(micro(10_000_000), 80_000_000n)}`;
  const of = { id: 1, base_raw };
  const due_raw = taggedDue({ ...of, genesis: history.genesis }, sha256Hex);
  return { ...of, due_raw, price_usd_micro: 10_000_000 };
}

function order(history: History, changed: Body = {}): History {
  const { due_raw, fee_raw, seller_raw } = splitOf(priceIn(history));
  return history.add("order", {
    order_id: 1,
    offer_id: 1,
    buyer: BOB,
    seller: ADA,
    escrow: ESCROW,
    price_usd_micro: 10_000_000,
    fee_usd_micro: 2_000_000,
    seller_usd_micro: 8_000_000,
    sla_hours: 1,
    due_raw,
    fee_raw,
    seller_raw,
    rate: "0.8",
    rate_source: "static",
    expires_at: history.now + HOUR_S,
    ...changed,
  });
}

const hashOf = (name: string): string => sha256Hex(nano(name));

const payment = (amount_raw: string, n: number, changed: Body): Body => ({
  order_id: 1,
  n,
  currency: "xno",
  txid: txid(),
  amount_raw,
  checked: 1,
  role: "payment",
  ...changed,
});

/** A part of the price, with the digits of the order: what it lacks never comes. */
const part = (history: History): bigint => {
  const { due_raw, base_raw } = priceIn(history);
  return BigInt(due_raw) - BigInt(base_raw) + BigInt(base_raw) / 4n;
};

/** The order has expired, and what came is owed back. */
const expired = (history: History): History =>
  history.pass(2 * HOUR_S).add("order_expired", { order_id: 1 });

const debt = (n: number, amount_raw: bigint, name?: string): Body => ({
  order_id: 1,
  n,
  amount_raw: `${amount_raw}`,
  why: "short",
  to_sha256: name === undefined ? undefined : hashOf(name),
});

const refund = (amount_raw: bigint, changed: Body = {}): Body => ({
  order_id: 1,
  n: 1,
  currency: "xno",
  txid: txid(),
  to: nano("bob"),
  amount_raw: `${amount_raw}`,
  checked: 1,
  ...changed,
});

const NEXT = "refund_due: The entry before it says that another one has to come next of its order.";
const OPEN = "refund: The order has no such open debt.";
const OWED = "refund: A refund names its debts from the oldest on, and pays them to the raw.";
const BACK = "refund: A refund goes to the account that is owed, or says that it does not.";
const PART = "payout: A payout is the seller's part, and all of it.";
const ELSEWHERE =
  "payout: A payout goes to an address that its seller had in force since the release.";
const UNSAID = "payout: A transfer that no chain has shown is recorded with a reason.";
const NO_ESCROW = "order: An invoice is paid to an escrow account that the ledger names.";

test("an invoice names an account of the network's own", () => {
  assert.deepEqual(order(market()).refused(), []);
  const foreign = order(market(), { escrow: nano("mallory") });
  assert.deepEqual(foreign.refused(), [NO_ESCROW], "somebody else's");
  const project = market(account(ESCROW, "project"));
  assert.deepEqual(order(project).refused(), [NO_ESCROW], "no escrow account is named");
});

test("a debt is owed to an account that paid", () => {
  const sum = part(market());
  const paid = () =>
    order(market()).add("order_payment", payment(`${sum}`, 1, { from_sha256: hashOf("bob") }));
  assert.deepEqual(
    expired(paid())
      .add("refund_due", debt(1, sum, "bob"))
      .refused(),
    [],
  );
  const other = expired(paid()).add("refund_due", debt(1, sum, "mallory"));
  assert.deepEqual(other.refused(), [NEXT]);
});

test("a refund pays open debts in full, to their account, and ends its order with dust", () => {
  const sum = part(market());
  const dust = 2n * 10n ** 27n;
  /** An expired order that owes Bob two debts of which the second came too late, and Eve one. */
  const owing = (eves: bigint) => {
    const history = order(market());
    history.add("order_payment", payment(`${sum}`, 1, { from_sha256: hashOf("bob") }));
    const of = payment(`${eves}`, 2, { from_sha256: hashOf("eve"), reason_sha256: HASH });
    history.add("order_payment", { ...of, checked: 0 });
    expired(history).add("refund_due", debt(1, sum, "bob"));
    history.add("refund_due", debt(2, eves, "eve"));
    const extra = payment(`${sum}`, 3, { from_sha256: hashOf("bob"), role: "extra" });
    history.add("order_payment", extra);
    return history.add("refund_due", { ...debt(3, sum, "bob"), why: "extra" });
  };
  const of = (changed: Body, eves = sum) =>
    owing(eves).add("refund", refund(sum, changed)).refused();
  const both = { debts: "1,3", amount_raw: `${2n * sum}`, usd_micro: 5_000_000 };
  assert.deepEqual(of({}), []);
  assert.deepEqual(of(both), []);
  for (const changed of [
    { amount_raw: "1" },
    { ...both, amount_raw: `${sum}` },
    { ...both, debts: "3,1" },
    { ...both, n: 3, debts: "3,1" },
  ])
    assert.deepEqual(of(changed), [OWED], JSON.stringify(changed));
  for (const debts of ["1,1", "1,4"]) assert.deepEqual(of({ ...both, debts }), [OPEN], debts);
  const twice = owing(sum).add("refund", refund(sum));
  assert.deepEqual(twice.add("refund", refund(sum, { n: 3, debts: "3,1" })).refused(), [OPEN]);
  assert.deepEqual(of({ to: nano("mallory") }), [BACK]);
  const told = { redirected: 1, reason_sha256: HASH };
  assert.deepEqual(of({ to: nano("mallory"), ...told }), []);
  const eves = { ...both, debts: "1,2" };
  for (const changed of [eves, { ...eves, ...told }])
    assert.deepEqual(of(changed), ["refund: One transfer pays debts to one account."]);
  assert.deepEqual(of({ ends: 1 }), [
    "refund: An order ends with the refund after which it owes no more than dust.",
  ]);
  assert.deepEqual(of({ ends: 1 }, dust), [], "what is left is dust, or came later");
});

/** An order that was delivered and released, between two changes of its seller's address. */
function released(changed: Body = {}): History {
  const history = order(market());
  const { due_raw } = priceIn(history);
  const { seller_raw } = splitOf(priceIn(history));
  const deliver_by = history.now + HOUR_S;
  history
    .add("order_payment", payment(due_raw, 1, { from_sha256: hashOf("bob") }))
    .add("order_paid", {
      order_id: 1,
      received_raw: due_raw,
      deliver_by,
      refund_at: deliver_by + DAY_S,
    })
    .add("order_delivered", {
      order_id: 1,
      n: 1,
      content_commitment: HASH,
      bytes: 1,
      late: 0,
      accept_by: history.now + 3 * DAY_S,
    })
    .pass(2 * DAY_S)
    .add("order_released", { order_id: 1, by: "buyer" })
    .add("fee", {
      order_id: 1,
      usd_micro: 2_000_000,
      amount_raw: `${BigInt(due_raw) - BigInt(seller_raw)}`,
    })
    .add("payout_due", {
      order_id: 1,
      agent: ADA,
      usd_micro: 8_000_000,
      amount_raw: seller_raw,
      ...changed,
    });
  // A quick change: the address that was stolen could never be used.
  address(history.pass(1), 3, "stolen");
  return address(history.pass(1), 4, "third");
}

function paidOut(
  name: string,
  changed: Body = {},
  after_s = 3 * DAY_S,
  first: (history: History) => History = (history) => history,
): History {
  const history = first(released().pass(after_s));
  const { seller_raw } = splitOf(priceIn(history));
  const body = {
    order_id: 1,
    agent: ADA,
    currency: "xno",
    txid: txid(),
    to: nano(name),
    amount_raw: seller_raw,
    checked: 1,
    ...changed,
  };
  return history.add("payout", body, "1");
}

test("a payout goes to an address in force since the release, as its seller's part", () => {
  const to = (...of: readonly [name: string, changed?: Body, after_s?: number]) =>
    paidOut(...of).refused();
  assert.deepEqual(to("second"), []);
  assert.deepEqual(to("third"), []);
  assert.deepEqual(to("third", {}, DAY_S - 61), [ELSEWHERE], "too new");
  for (const name of ["first", "stolen", "mallory"]) assert.deepEqual(to(name), [ELSEWHERE], name);
  assert.deepEqual(to("mallory", { checked: 0 }), [UNSAID]);
  assert.deepEqual(to("mallory", { checked: 0, reason_sha256: HASH }), [ELSEWHERE]);
  assert.deepEqual(to("second", { amount_raw: "81" }), [PART]);
  assert.deepEqual(to("second", { agent: BOB }), [PART]);
  const due = released({ agent: BOB });
  assert.deepEqual(due.refused(), [NEXT.replace("refund_due", "payout_due")]);
});

test("a payout that names an account goes there in every currency", () => {
  const cash = { currency: "other", txid: undefined, txid_sha256: HASH, checked: 0 };
  const word = { ...cash, reason_sha256: HASH };
  const settled = (history: History) =>
    history.add("debt_settled", {
      order_id: 1,
      n: 1,
      agent: ADA,
      debts: "payout",
      currency: "other",
      txid_sha256: HASH,
      amount_raw: splitOf(priceIn(history)).seller_raw,
    });
  const to = (name: string, changed: Body = {}) =>
    paidOut(name, { ...word, ...changed }, 3 * DAY_S, settled).refused();
  assert.deepEqual(to("mallory"), [ELSEWHERE]);
  assert.deepEqual(to("second"), []);
  assert.deepEqual(to("mallory", { to: undefined }), []);
});

import type * as z from "zod";
import { sha256 } from "../../../ledger/sha256.ts";
import { DELIVERIES_MAX, ORDER_LISTS_MAX } from "../../../market/rules.ts";
import type { order } from "../../../market/shapes.ts";
import { unverified } from "./board.ts";
import { listed } from "./compare/list.ts";
import * as rule from "./compare/rule.ts";
import { derived, type Facts, hashed, is, object, ofRow } from "./compare/rule.ts";
import { MISSING } from "./compare/seen.ts";

type Order = z.output<typeof order>;

/** Fields that follow from other fields and the clock. */
export const CLOCK = "follows from what is compared, and the clock";

/** A row that is counted within the order. */
const nth =
  (name: string) =>
  (shown: rule.Shown, { asked }: Facts) =>
    `${name} ${asked["id"]}/${shown["n"]}`;
const n = derived(({ of }) => Number(of["n"]));

const payment = ofRow<NonNullable<Order["payment"]>["payments"][number]>(
  "market_payment",
  nth("payment"),
  {
    n,
    txid: hashed("txid"),
    amount_raw: is("amount_raw"),
    role: is("role"),
    from: hashed("from_account"),
    at: is("at"),
  },
);

/** The newest of so many that are counted. */
const counted = <T>(name: string, column: string, max: number, each: rule.Rule<T>) =>
  listed<T>({
    name,
    key: (item) => Number(item["n"]),
    each,
    first: ({ row }) => {
      const all = Number(row?.[column] ?? 0);
      const some = Math.min(all, max);
      return Array.from({ length: some }, (_, i) => all - some + i + 1);
    },
    limit: () => max,
  });

export const payments = object<NonNullable<Order["payment"]>>({
  paid_at: is("paid_at"),
  received_raw: is("received_raw"),
  currency: rule.untold(CLOCK),
  checked: rule.untold(CLOCK),
  payments: counted("payments", "payments", ORDER_LISTS_MAX, payment),
  payments_count: is("payments"),
});

type Delivery = Order["deliveries"][number];
const bodyOf = (of: rule.Shown): Buffer => Buffer.from(String(of["body"]));

const delivery = ofRow<Delivery>("market_delivery", nth("delivery"), {
  n,
  at: is("at"),
  late: rule.yes("late"),
  bytes: derived(({ of }) => bodyOf(of).length),
  content_sha256: derived(({ of }) => sha256(bodyOf(of)).toHex()),
  content_salt: rule.untold("the commitment is made with it"),
  content_commitment: is("content_commitment"),
  body: {
    see(_, { of, row }, seen, path) {
      const salt = Buffer.from(String(of["content_salt"]), "hex");
      const commitment = sha256(Buffer.concat([salt, bodyOf(of)])).toHex();
      seen.compare(path, commitment, row === null ? MISSING : row["content_commitment"]);
    },
  },
  verified: unverified,
});

type Refund = Order["refunds"][number];

const refund = ofRow<Refund>("market_refund", nth("refund"), {
  n,
  amount_raw: is("amount_raw"),
  why: is("why"),
  state: derived(({ row }) => {
    if (row["txid"] == null) return "due";
    return row["reopened"] === 1 ? "reopened" : "sent";
  }),
  to: {
    see(shown, facts, seen, path) {
      const isSent = facts.row?.["txid"] != null;
      (isSent ? is("sent_to") : hashed("to_account")).see?.(shown, facts, seen, path);
    },
  },
  txid: hashed("txid"),
  at: derived(({ row }) => row["sent_at"] ?? row["at"]),
});

/** The reason of an operator has its hash in the entry; that of a buyer a commitment, which a file's audit compares. */
const said: rule.Rule<string> = {
  see(shown, facts, seen, path) {
    if (facts.row?.["isBuyers"] !== 1) hashed("reason").see?.(shown, facts, seen, path);
  },
};

export const hold = ofRow<NonNullable<Order["hold"]>>(
  "market_hold",
  (_, { asked, row }) => `hold ${asked["id"]}/${Number(row?.["holds"])}`,
  {
    since: is("at"),
    from_state: is("from_state"),
    remaining_s: is("remaining_s"),
    reason: said,
    by: rule.untold("follows from the kind of the entry"),
    reason_salt: rule.untold("the commitment is made with it"),
    outcome: is("outcome"),
    outcome_reason: hashed("outcome_reason"),
    resolved_at: is("resolved_at"),
  },
);

/** The last few deliveries. */
export const deliveries = counted("deliveries", "deliveries", DELIVERIES_MAX, delivery);

/** Debts to payers, and the refunds that were sent. */
export const refunds = counted("refunds", "refunds", ORDER_LISTS_MAX, refund);

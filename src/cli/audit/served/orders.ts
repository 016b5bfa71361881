import type * as z from "zod";
import type { contracts } from "../../../contracts.ts";
import { toNumber } from "../../../kernel/money.ts";
import { xnoOf } from "../../../kernel/nano.ts";
import { sha256Hex } from "../../../ledger/sha256.ts";
import { splitOf, toCompleteRaw } from "../../../market/amounts.ts";
import { deadlineOf, ORDER_LISTS_MAX, STATES } from "../../../market/rules.ts";
import type { order, ownOrder } from "../../../market/shapes.ts";
import { type Made, UNSEALED } from "../derived/derived.ts";
import { id, SERVICE_TEXT } from "./board.ts";
import { askedLimit, countOf, listed, listOf, moreOf, ownId } from "./compare/list.ts";
import * as rule from "./compare/rule.ts";
import {
  agent,
  amount,
  byId,
  derived,
  type Facts,
  hashed,
  is,
  known,
  object,
  ofRow,
} from "./compare/rule.ts";
import { newest } from "./ledger.ts";
import { CLOCK, deliveries, hold, payments, refunds } from "./order-parts.ts";
import { clocked, word } from "./reading/clock.ts";

type Order = z.output<typeof order>;
type OwnOrder = z.output<typeof ownOrder>;
type Now = Facts & { readonly row: Made };

/** A text of the order's offer. */
const ofOffer = (column: string): rule.Rule<string> => ({
  see(shown, facts, seen, path) {
    const row = facts.ledger.row("market_offer", `offer ${Number(facts.row?.["offer"])}`);
    hashed(column).see?.(shown, { ...facts, row: row ?? null }, seen, path);
  },
});

const stateOf = (row: Made) => STATES.find((state) => state === row["state"]) ?? "awaiting_payment";

/** The deadlines of an order that was ever held are not sealed. */
const deadline = derived(({ row }) => {
  const state = stateOf(row);
  if (state === "awaiting_payment") return row["expires_at"];
  if (state === "paid") return row["refund_at"];
  if (state === "delivered") return row["accept_by"];
  return state === "held" ? UNSEALED : null;
});

const onDeadline = derived(({ row }) => {
  const times = { expires_at: 0, refund_at: 0, accept_by: 0, held_until: 0 };
  const standing = {
    received_raw: String(row["received_raw"]),
    deliveries: Number(row["deliveries"]),
    disputed: 0,
  };
  return deadlineOf({ state: stateOf(row), ...times, ...standing }).on_deadline;
});

const DUE = {
  state: word(STATES, ({ row }) => row["state"]),
  deadline_at: deadline,
  on_deadline: onDeadline,
  allowed_actions: rule.untold(CLOCK),
};

const role = derived(({ row, me }) => (row["buyer"] === me ? "buyer" : "seller"));

const splitIn = ({ of, row, ledger }: Now) => {
  const own = ledger.row("market_order", `order ${Number(of["id"])}`) ?? row;
  const { price_usd, fee_usd, seller_receives_usd, ...rest } = splitOf({
    id: Number(of["id"]),
    base_raw: String(own["base_raw"]),
    due_raw: String(own["due_raw"]),
    price_usd_micro: Number(own["price_usd_micro"]),
  });
  return {
    ...rest,
    price_usd: toNumber(price_usd),
    fee_usd: toNumber(fee_usd),
    seller_receives_usd: toNumber(seller_receives_usd),
  };
};

/** Parts of a price, of the order whose view they stand in. */
const split: rule.Rule<Order["split"]> = {
  see(shown, facts, seen, path) {
    const { row } = facts;
    const parts = rule.isShown(shown) ? shown : {};
    const made: Readonly<Record<string, string | number>> =
      row === null ? {} : splitIn({ ...facts, row });
    for (const [name, part] of Object.entries(made))
      seen.compare(`${path}.${name}`, parts[name], part);
  },
};

const due = (facts: Now): string => splitIn({ ...facts, of: { id: facts.asked["id"] } }).due_raw;

const invoice = object<NonNullable<Order["invoice"]>>({
  currency: rule.always("xno"),
  address: is("escrow_address"),
  due_raw: derived(due),
  to_complete_raw: derived((facts) => {
    const { state, received_raw } = facts.row;
    const order = { due_raw: due(facts), received_raw: String(received_raw) };
    return state === "awaiting_payment" ? String(toCompleteRaw(order)) : null;
  }),
  due_xno: derived((facts) => xnoOf(BigInt(due(facts)))),
  uri: derived((facts) => `nano:${facts.of["address"]}?amount=${due(facts)}`),
  refund_address: hashed("refund_address"),
  rate: is("rate"),
  rate_source: is("rate_source"),
  expires_at: is("expires_at"),
  exact: rule.untold(SERVICE_TEXT),
});

/** The last payout of an order, if one was sent. */
function payoutOf({ ledger, asked }: Facts): Made | undefined {
  const names = ledger.names("market_payout");
  const [first, next] = [`payout ${asked["id"]}`, `payout ${asked["id"]}/`];
  const last = names.findLast((name) => name === first || name.startsWith(next));
  return last === undefined ? undefined : ledger.row("market_payout", last);
}

const IN_FORCE = "the address in force";

/** Where a seller is paid to at a moment; the entries have only the SHA-256 of it. */
function addressAt({ of, me, ledger }: Facts, now: number): string | null {
  const usable = ledger
    .names("market_payout_address")
    .filter((name) => name.startsWith(`${me}/`))
    .map((name) => ledger.row("market_payout_address", name))
    .filter((row) => Number(row?.["usable_from"]) <= now);
  // Whether one was replaced in the minute in which it became usable is not sealed.
  const last = [
    usable.findLast((row) => row?.["superseded"] !== 1),
    usable.findLast((row) => row?.["superseded"] === 0),
  ].map((row) => row?.["address"] ?? null);
  const shown = of["address"] === null ? null : `${of["address"]}`;
  if (last.includes(shown === null ? null : sha256Hex(shown))) return shown;
  return last[0] === null ? null : IN_FORCE;
}

const payout = object<NonNullable<Order["payout"]>>({
  state: derived(({ row }) => {
    if (row["state"] === "paid_out") return "sent";
    return row["state"] === "released" ? "due" : "none";
  }),
  amount_raw: derived((facts) => splitIn({ ...facts, of: { id: facts.asked["id"] } }).seller_raw),
  address: clocked((facts, now) =>
    facts.row?.["state"] === "paid_out" ? payoutOf(facts)?.["to_account"] : addressAt(facts, now),
  ),
  blocked: rule.untold(CLOCK),
  txid: {
    see(shown, facts, seen, path) {
      const row = facts.row?.["state"] === "paid_out" ? payoutOf(facts) : undefined;
      hashed("txid").see?.(shown, { ...facts, row: row ?? {} }, seen, path);
    },
  },
  paid_at: derived((facts) => (facts.row["state"] === "paid_out" ? payoutOf(facts)?.["at"] : null)),
});

const entriesOf = ({ ledger, asked }: Facts) =>
  ledger.orderIds.flatMap((place) => {
    const entry = ledger.orders.get(place);
    return entry?.body["order_id"] === asked["id"] ? [entry] : [];
  });

type Event = Order["history"][number];

const event = ofRow<Event>("market_history", ({ kind, ref }) => `${kind} ${ref}`, {
  at: is("at"),
  kind: derived(({ of }) => String(of["kind"])),
  ref: derived(({ of }) => String(of["ref"])),
});

const events = listOf(({ kind, ref }) => `${kind} ${ref}`, event);

/** Every step once; in which order those of one second stand is not sealed. */
const history: rule.Rule<readonly Event[]> = {
  ...rule.inside(events),
  see(shown, facts, seen, path) {
    const all = Array.isArray(shown) ? shown : [];
    const together = new Set(all.map(({ kind, ref }) => `${kind} ${ref}`)).size;
    seen.compare(`${path} together`, together, Math.min(entriesOf(facts).length, ORDER_LISTS_MAX));
    if (all.length !== together) seen.compare(path, all.length, together);
    events.see?.(shown, facts, seen, path);
  },
};

/** Shown to one side of an order only. */
const only = <T>(side: "buyer" | "seller", inner: rule.Rule<T>): rule.Rule<T | undefined> => ({
  ...rule.inside(inner),
  see(shown, facts, seen, path) {
    const isMine = facts.row !== null && facts.row[side] === facts.me;
    if (isMine && shown !== undefined) inner.see?.(shown, facts, seen, path);
    else seen.compare(path, shown, isMine ? "an object" : null);
  },
});

const orderRule = ofRow<Order>("market_order", byId("order"), {
  id,
  offer_id: is("offer"),
  title: ofOffer("title"),
  capability: ofOffer("capability"),
  role,
  ...DUE,
  owed_since: rule.untold(CLOCK),
  overdue: rule.untold(CLOCK),
  state_since: is("state_since"),
  created_at: is("created_at"),
  buyer: agent("buyer"),
  seller: agent("seller"),
  price_usd: amount("price_usd_micro"),
  split,
  edited: rule.always(undefined),
  invoice: only("buyer", invoice),
  payout: only("seller", payout),
  payment: rule.orNull(({ row }) => Number(row["payments"]) > 0, payments),
  unproven: rule.untold("transfers that no entry names yet"),
  sla_hours: is("sla_hours"),
  deliver_by: is("deliver_by"),
  refund_at: is("refund_at"),
  accept_by: is("accept_by"),
  deliveries,
  deliveries_count: is("deliveries"),
  deliveries_more: derived(
    ({ row, of }) => Number(row["deliveries"]) > Object(of["deliveries"]).length,
  ),
  refunds,
  refunds_count: is("refunds"),
  hold: rule.orNull(({ row }) => Number(row["holds"]) > 0, hold),
  client_ref: rule.untold("an agent's own mark"),
  history,
  history_count: known((facts) => entriesOf(facts).length),
});

/** An agent's orders on both sides. */
const ownIds = ({ ledger, me }: Facts): readonly number[] =>
  [
    ...ledger.idsBy("market_order", "buyer", me),
    ...ledger.idsBy("market_order", "seller", me),
  ].sort((a, b) => a - b);

const orders = {
  name: "orders",
  key: ownId,
  each: ofRow<OwnOrder>("market_order", byId("order"), {
    id,
    role,
    title: ofOffer("title"),
    price_usd: amount("price_usd_micro"),
    ...DUE,
  }),
  first: (facts: Facts, count: number) => newest(ownIds(facts), { limit: count }),
  limit: askedLimit,
};

const one = object({ order: orderRule });
const list = object({ orders: listed(orders), count: countOf("orders"), more: moreOf(orders) });

type Answer = z.output<typeof contracts.market.get.output>;

/** One own order, or the list of them. */
export const ownOrderPage: rule.Rule<Answer> = {
  fields: { ...one.fields, ...list.fields },
  see(shown, facts, seen, path) {
    const asked = facts.asked["id"] === undefined ? list : one;
    asked.see?.(shown, facts, seen, path);
  },
};

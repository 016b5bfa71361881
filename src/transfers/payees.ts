import { DAY_S, MINUTE_S, type Seconds } from "../kernel/time.ts";
import { sha256Hex } from "../ledger/sha256.ts";
import { ADDRESS_WAIT_S, isAllButDust } from "./rules.ts";

/** As much of an entry as says who is paid what. */
export interface PayeeEntry {
  readonly kind: string;
  readonly at: Seconds;
  readonly body: Readonly<Record<string, string | number>>;
}

type Body = PayeeEntry["body"];

/** Kinds of entries that the fold looks at; it passes over all others. */
export const PAYEE_KINDS = [
  ...["own_account", "payout_address", "order", "order_payment", "order_released"],
  ...["payout_due", "payout", "refund_due", "refund"],
];

/** An entry gets its second when it gets its number, so a release may be older than its entry says. */
const SLACK_S = DAY_S;
/** The node that numbers an entry may have a clock that is behind that of the node which made it. */
const CLOCKS_S = MINUTE_S;

/** A payout address as its entry has it. */
interface Address {
  readonly sha256: string;
  readonly usable_from: Seconds;
}

/** A debt to an account; its hash is null if the entry lacks it. */
interface Debt {
  readonly to_account: string | null;
  readonly amount_raw: string;
  readonly why: string;
}

interface Order {
  readonly seller: string;
  /** SHA-256 of the accounts that paid, and of the one that its buyer named for refunds. */
  readonly payers: Set<string>;
  /** Whether a payment's sender is unknown. */
  hasUnknownPayer: boolean;
  released_at: Seconds;
  payout_raw: string | null;
  /** By their numbers, those that are not paid. */
  readonly open: Map<string, Debt>;
}

/** What the ledger says of who is paid, made again from it alone. */
export interface PayeeReplay {
  /** Adds the next entry; the rules that it breaks. What an entry of an earlier version lacks breaks none. */
  add(entry: PayeeEntry): readonly string[];
}

/**
 * Proves that money goes where it is owed (I16): an invoice names an escrow account of the network's own,
 * a debt is owed to an account that paid or that the buyer named, a refund pays open debts in full and goes to their account unless
 * it says otherwise, an order ends with it when no more is owed but dust, and a payout goes to an address
 * that its seller wanted to be paid to.
 */
export function payeeReplay(): PayeeReplay {
  const escrows = new Set<string>();
  const addresses = new Map<string, Address[]>();
  const orders = new Map<string, Order>();

  const rules: Readonly<Record<string, (order: Order, body: Body, at: Seconds) => string[]>> = {
    order_payment(order, { from_sha256 }) {
      if (from_sha256 === undefined) order.hasUnknownPayer = true;
      else order.payers.add(`${from_sha256}`);
      return [];
    },
    order_released(order, _, at) {
      order.released_at = at;
      return [];
    },
    payout_due(order, { agent, amount_raw }) {
      order.payout_raw = `${amount_raw}`;
      return breachUnless(agent === order.seller, "owes another than its seller");
    },
    payout: (order, body, at) =>
      payoutBreaches(order, body, {
        at,
        addresses: addresses.get(order.seller) ?? [],
      }),
    refund_due: (order, body) => debtBreaches(order, body),
    refund: (order, body) => refundBreaches(order, body),
  };

  return {
    add({ kind, at, body }) {
      if (kind === "own_account" && body["role"] === "escrow") escrows.add(`${body["account"]}`);
      if (kind === "payout_address") {
        const address = {
          sha256: `${body["address_sha256"]}`,
          usable_from: Number(body["usable_from"]),
        };
        addresses.set(`${body["agent"]}`, [...(addresses.get(`${body["agent"]}`) ?? []), address]);
      }
      const id = `${body["order_id"]}`;
      const broken: string[] = [];
      if (kind === "order") {
        orders.set(id, newOrder(body));
        const { escrow } = body;
        if (escrow !== undefined && escrows.size > 0)
          broken.push(
            ...breachUnless(escrows.has(`${escrow}`), "is to be paid to a foreign account"),
          );
      }
      const order = orders.get(id);
      const rule = Object.hasOwn(rules, kind) ? rules[kind] : undefined;
      if (order !== undefined && rule !== undefined) broken.push(...rule(order, body, at));
      return broken.map((what) => `I16, order ${id} ${what}`);
    },
  };
}

const newOrder = ({ seller, refund_address_sha256: to }: Body): Order => ({
  seller: `${seller}`,
  payers: new Set(to === undefined ? [] : [`${to}`]),
  hasUnknownPayer: false,
  released_at: 0,
  payout_raw: null,
  open: new Map(),
});

const breachUnless = (holds: boolean, otherwise: string): string[] => (holds ? [] : [otherwise]);

/** Entries of earlier versions took the operator's word for where a transfer went, and gave no reason. */
const isOldWord = ({ checked, reason_sha256 }: Body): boolean =>
  checked === 0 && reason_sha256 === undefined;

function payoutBreaches(
  { seller, payout_raw, released_at }: Order,
  body: Body,
  { at, addresses }: { readonly at: Seconds; readonly addresses: readonly Address[] },
): string[] {
  const { agent, amount_raw, to } = body;
  const isOwed = agent === seller && (payout_raw === null || amount_raw === payout_raw);
  // An address that could not be used yet when the next one was set never is.
  const usable = addresses.filter(({ usable_from }, i) => {
    const next = addresses[i + 1]?.usable_from ?? Number.POSITIVE_INFINITY;
    return usable_from <= at + CLOCKS_S && next - ADDRESS_WAIT_S >= usable_from;
  });
  const inForce = usable
    .filter((_, i) => (usable[i + 1]?.usable_from ?? at) > released_at - SLACK_S)
    .map(({ sha256 }) => sha256);
  const isWanted = to === undefined || isOldWord(body) || inForce.includes(sha256Hex(`${to}`));
  return [
    ...breachUnless(isOwed, "pays out another than the seller's part"),
    ...breachUnless(
      isWanted,
      "pays out to no address that its seller had in force since the release",
    ),
  ];
}

function debtBreaches(order: Order, { n, amount_raw, why, to_sha256 }: Body): string[] {
  const to = to_sha256 === undefined ? null : `${to_sha256}`;
  order.open.set(`${n}`, { to_account: to, amount_raw: `${amount_raw}`, why: `${why}` });
  const hasPaid = to === null || order.hasUnknownPayer || order.payers.has(to);
  return breachUnless(hasPaid, `owes debt ${n} to an account that paid nothing`);
}

function refundBreaches({ open }: Order, body: Body): string[] {
  const { n, debts = `${n}`, amount_raw, to, redirected, ends } = body;
  const numbers = `${debts}`.split(",");
  const paid = numbers.flatMap((number) => {
    const debt = open.get(number);
    open.delete(number);
    return debt ?? [];
  });
  const sum = paid.reduce((all, debt) => all + BigInt(debt.amount_raw), 0n);
  const isOwed = paid.length === numbers.length && numbers[0] === `${n}` && `${sum}` === amount_raw;
  const isBack =
    to === undefined || redirected === 1 || paid.every(({ to_account }) => isOf(to_account, to));
  const isOne = new Set(paid.flatMap(({ to_account }) => to_account ?? [])).size < 2;
  // If an entry names no account, its debt is checked alone.
  const left = [...open].map(([number, debt]) => ({
    ...debt,
    to_account: debt.to_account ?? `debt ${number}`,
  }));
  return [
    ...breachUnless(isOwed, `pays with debt ${n} what it does not owe`),
    ...breachUnless(isBack && isOne, `pays debt ${n} to another account than it is owed to`),
    ...breachUnless(
      ends !== 1 || isAllButDust(left),
      `ends with debt ${n} and owes more than dust`,
    ),
  ];
}

const isOf = (hash: string | null, account: string | number): boolean =>
  hash === null || hash === sha256Hex(`${account}`);

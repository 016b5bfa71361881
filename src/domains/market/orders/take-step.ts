import type { Db, Tx } from "../../../platform/db/engine.ts";
import type { Body, EntryKind } from "../../../platform/kernel/contract/entry-kind.ts";
import type { Rejects } from "../../../platform/kernel/contract/errors.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { type CodesOf, decide, NOBODY, proposed } from "../../../platform/ledger/decide.ts";
import type { Effect, KindRows } from "../../../platform/ledger/rows/effects.ts";
import { prepare } from "../../../platform/ledger/rows/enact.ts";
import type { Given } from "../../../platform/ledger/rows/given.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import type {
  Draft,
  DraftedBody,
  Refuses,
  Violation,
} from "../../../platform/ledger/transition.ts";
import * as sql from "../queries.ts";
import { rows } from "../rows.ts";
import { backTo, sumOf } from "../steps/debts.ts";
import { fee, orderReleased, payoutDue } from "../steps/delivering.ts";
import { type KnownOrder, MOVED, type Seen } from "../steps/order-state.ts";
import { orderPaid } from "../steps/paying.ts";
import {
  payoutReopened,
  payoutUse,
  refundDue,
  refundReopened,
  refundUse,
} from "../steps/sending.ts";
import { movedBy } from "../steps/step.ts";
import { releasedAt } from "./address-queries.ts";
import { isContested } from "./contested.ts";

/*
 * The writer of an order's steps. The machine of `steps/` says what is allowed, what changes and what follows; this
 * loads the facts that it reads and stores what it says, in one write under the order's lock.
 */

/** An order under its lock, and the second of the write. */
export interface Locked {
  readonly tx: Tx;
  readonly order: sql.OrderRow;
  readonly now: Seconds;
  /** Accounts that the entry names, beside those in the facts of its order. */
  readonly accounts?: readonly string[];
  /** The step that this one entails, where its writer says more of it than its draft. */
  readonly follows?: readonly [...Written, said: object];
}

/** The facts of an order that a writer has. What it has not loaded is not there. */
type Known = Seen<never> & Partial<Pick<KnownOrder, Loadable>>;

type Entry<K extends EntryKind> = DraftedBody<Partial<Body<K["fields"]>>>;

/** A step, as far as a writer takes it. Methods, so that each takes the facts that were loaded for it. */
interface Taken<K extends EntryKind, R extends Refuses, D extends object> {
  readonly kind: K;
  readonly refuses: R;
  readonly asks?: readonly Loadable[];
  readonly takes?: readonly Loadable[];
  /** The values beyond the order that its rule reads. */
  readonly beyond?: unknown;
  drafts?(order: Known, now: Seconds, said: Partial<Body<K["fields"]>>): D;
  rule?(
    order: Known,
    entry: Entry<K>,
    given: { readonly refuses: R; readonly beyond: undefined },
  ): Violation | undefined;
  moves(order: Known, entry: Entry<K>): Partial<KnownOrder>;
  entails?(after: Known, entry: Entry<K>): readonly Draft[];
}

/** All that a writer gives for the entry of a step, but what follows from its order. */
type Said<K extends EntryKind, E, D> = Omit<Given<K, E>, "order_id" | keyof D>;

/**
 * Takes a step of an order, and all steps that it entails. Resolves to the order as they leave it. Ends with the
 * refusal of the step's rule, which undoes the write.
 */
export async function takeStep<
  K extends EntryKind,
  E extends readonly Effect[],
  R extends Refuses,
  D extends object,
>(
  context: Rejects<CodesOf<R>>,
  locked: Locked,
  [step, of]: readonly [Taken<K, R, D>, KindRows<K, E>],
  said: Said<K, E, D>,
): Promise<sql.OrderRow> {
  const { tx, order, follows } = locked;
  const accounts: Accounts = new Map();
  for (const account of locked.accounts ?? []) hashed(account, accounts);
  const known = await load(tx, order, [...(step.asks ?? []), ...(step.takes ?? [])], accounts);
  let after = await takeOne(context, { locked, known, said }, [step, of]);
  for (let next = after.next[0]; next !== undefined; next = after.next[0]) {
    const [by, does, more] = entailedBy(next, follows);
    const entailed = { locked, known: after, said: { ...inClear(next, accounts), ...more } };
    after = await takeOne(NOBODY, entailed, [by, does]);
  }
  return save(locked, after);
}

/**
 * Ends with the refusal of a step that its order does not allow now: a look ahead of a write that spares it. `body`
 * has the fields that the rule reads and that do not follow from the order.
 */
export async function refuseStep<K extends EntryKind, R extends Refuses, D extends object>(
  context: Rejects<CodesOf<R>> & { readonly read: Db },
  { order, now }: Omit<Locked, "tx">,
  step: Taken<K, R, D>,
  body: Partial<Body<K["fields"]>> = {},
): Promise<void> {
  const known = await load(context.read, order, step.asks ?? [], new Map());
  const proposal = { order_id: order.id, ...step.drafts?.(known, now, body), ...body };
  ask(context, known, step, { body: proposal, now });
}

/** One entry of a write. */
interface Writing {
  readonly locked: Locked;
  readonly known: Known;
  readonly said: object;
}

/** Asks the rule, writes the entry and its rows, and resolves to the order after it. */
async function takeOne<
  K extends EntryKind,
  E extends readonly Effect[],
  R extends Refuses,
  D extends object,
>(
  context: Rejects<CodesOf<R>>,
  { locked: { tx, order, now }, known, said }: Writing,
  [step, of]: readonly [Taken<K, R, D>, KindRows<K, E>],
): Promise<Known> {
  demandLoaded(step, known);
  const named: Partial<Body<K["fields"]>> = Object.assign({}, ...[said]);
  const parts = [{ order_id: order.id }, step.drafts?.(known, now, named), said];
  const values: Given<K, E> = Object.assign({}, ...parts);
  const { body, enact } = prepare(of, values, now);
  ask(context, known, step, { body, now });
  await enact(tx);
  return movedBy<Known, Entry<K>>(step, known, proposed(body, now));
}

/** What a step is decided on: as much of the `before` of its transition as its rule reads. */
interface Before {
  readonly order: Known;
  readonly beyond: unknown;
}

function ask<K extends EntryKind, R extends Refuses, D extends object>(
  context: Rejects<CodesOf<R>>,
  known: Known,
  step: Taken<K, R, D>,
  proposal: { readonly body: Partial<Body<K["fields"]>>; readonly now: Seconds },
): void {
  const { kind, refuses, beyond } = step;
  const rule = ({ order }: Before, entry: Entry<K>) =>
    step.rule?.(order, entry, { refuses, beyond: undefined });
  decide(context, { kind, refuses, rule }, { order: known, beyond }, proposal);
}

/** A step that is entailed reads what the first one has loaded; a fact that is missing has no default. */
function demandLoaded(
  { kind, asks = [], takes = [] }: Pick<AnyTaken, "kind" | "asks" | "takes">,
  known: Known,
): void {
  const missing = [...asks, ...takes].find((fact) => !Object.hasOwn(known, fact));
  if (missing !== undefined)
    throw new Error(`${kind.kind} reads ${missing} of its order, which nobody has loaded.`);
}

/** The steps that others entail, and what their entries do to rows. */
const ENTAILED: readonly Written[] = [
  [orderReleased, rows.orderReleased],
  [fee, rows.fee],
  [payoutDue, rows.payoutDue],
  [payoutReopened, rows.payoutReopened],
  [orderPaid, rows.orderPaid],
  [refundDue, rows.refundDue],
  [refundReopened, rows.refundReopened],
];
type AnyTaken = Taken<EntryKind, Refuses, object>;
type Written = readonly [AnyTaken, KindRows];

function entailedBy({ kind }: Draft, follows: Locked["follows"]) {
  if (follows?.[0].kind.kind === kind) return follows;
  const found = ENTAILED.find(([step]) => step.kind.kind === kind);
  if (found === undefined) throw new Error(`Nobody writes ${kind} after another entry.`);
  return [...found, {}] as const;
}

/** The account of each hash in the facts of an order. */
type Accounts = Map<string, string>;

/** A draft as its rows have it: with an account where its entry has the hash of one. */
function inClear({ body }: Draft, accounts: Accounts) {
  const { to_sha256 } = body;
  const to_account = to_sha256 === undefined ? null : accounts.get(`${to_sha256}`);
  if (to_account === undefined) throw new Error("A debt is owed to an account that nobody knows.");
  return { ...body, to_account };
}

/** The fact of an account: its hash, as entries have it. */
function hashed(account: string | null, accounts: Accounts): string | null {
  if (account === null) return null;
  const hash = sha256Hex(account);
  accounts.set(hash, account);
  return hash;
}

/** How a writer loads each fact that the row of an order does not have. */
const LOADERS = {
  buyer: (db: Db, { buyer }: sql.OrderRow) => nameOf(db, buyer),
  seller: (db: Db, { seller }: sql.OrderRow) => nameOf(db, seller),
  payouts: (db: Db, { id }: sql.OrderRow) => countPayouts(db, id),
  settlements: (db: Db, { id }: sql.OrderRow) => countSettlements(db, id),

  async released_at(db: Db, { id: order_id }: sql.OrderRow): Promise<Seconds> {
    return (await releasedAt.first(db, { order_id }))?.at ?? 0;
  },

  async hold(db: Db, order: sql.OrderRow): Promise<KnownOrder["hold"]> {
    const { id: order_id, holds: n } = order;
    if (order.state !== "held") return null;
    const last = await sql.holdOf.first(db, { order_id, n });
    return last === undefined ? null : { ...last, isDispute: isContested(order, last) };
  },

  async paid(db: Db, order: sql.OrderRow, accounts: Accounts): Promise<KnownOrder["paid"]> {
    const { id: order_id, due_raw } = order;
    const refund_to = hashed(order.refund_address, accounts);
    const payments = await sql.paymentsOf.all(db, { order_id });
    return payments.map(({ role, from_account, ...payment }) => {
      const from = hashed(from_account, accounts);
      const amount_raw = BigInt(payment.amount_raw);
      return { from, back: backTo({ due_raw, refund_to }, { role, amount_raw, from }), amount_raw };
    });
  },

  async debts(db: Db, { id: order_id }: sql.OrderRow, accounts: Accounts) {
    const refunds = await sql.refundsOf.all(db, { order_id });
    const debts: KnownOrder["debts"] = new Map(
      refunds.map(({ n, to_account, amount_raw, why, txid, reopened }) => {
        const to = hashed(to_account, accounts);
        const sent = txid === null ? null : (refunds.find((each) => each.txid === txid)?.n ?? n);
        return [
          n,
          { n, to, amount_raw: BigInt(amount_raw), why, sent, isReopened: reopened === 1 },
        ];
      }),
    );
    return debts;
  },

  async unanswered(db: Db, { id: order_id }: sql.OrderRow): Promise<KnownOrder["unanswered"]> {
    const checked = await sql.refsOf.all(db, { order_id, kind: "transfer_checked" });
    const answered = new Set(checked.map(({ ref }) => ref));
    const payouts = (await sql.payoutsOf.all(db, { order_id }))
      .filter(isWord)
      .map(({ n, at, amount_raw }) => [payoutUse(order_id, n), { at, amount_raw }] as const);
    const refunds = (await sql.refundsOf.all(db, { order_id })).filter(isWord);
    const sent = [...Map.groupBy(refunds, ({ txid }) => txid).values()].map((debts) => {
      const [{ n, sent_at } = { n: 0, sent_at: null }] = debts;
      return [refundUse(order_id, n), { at: sent_at ?? 0, amount_raw: `${sumOf(debts)}` }] as const;
    });
    return new Map([...payouts, ...sent].filter(([use]) => !answered.has(use)));
  },
};

/** Whether a payout or a refund was recorded on the operator's word. */
const isWord = ({ currency, checked }: { currency: string | null; checked: number | null }) =>
  currency === "xno" && checked === 0;

type Loadable = keyof typeof LOADERS;

/** The facts of an order: those of its row, and some beside it. */
async function load(
  db: Db,
  order: sql.OrderRow,
  beside: readonly Loadable[],
  accounts: Accounts,
): Promise<Known> {
  const facts = await Promise.all(
    beside.map(async (name) => [name, await LOADERS[name](db, order, accounts)]),
  );
  const { buyer, seller, ...columns } = order; // Numbers of rows, where a fact is the name of an agent.
  const refund_to = hashed(order.refund_address, accounts);
  return { ...columns, refund_to, next: [], ...Object.fromEntries(facts) };
}

/** How often an order was paid out. */
export const countPayouts = async (db: Db, order_id: number): Promise<number> =>
  (await sql.payoutOf.first(db, { order_id }))?.n ?? 0;

/** How often a creditor of an order has said that it was paid in another way. */
export const countSettlements = async (db: Db, order_id: number): Promise<number> =>
  (await sql.refsOf.all(db, { order_id, kind: "debt_settled" })).length;

async function nameOf(db: Db, id: number): Promise<string> {
  const row = await sql.agentName.first(db, { id });
  if (row === undefined) throw new Error("A party of an order is gone.");
  return row.agent_id;
}

/** One statement for all that a write changes of an order, which must still be in the state that it was locked in. */
async function save({ tx, order, now }: Locked, after: Known): Promise<sql.OrderRow> {
  const changed = MOVED.filter((column) => after[column] !== order[column]);
  if (changed.length === 0) return order;
  const isMoved = after.state !== order.state;
  const isPaid = isMoved && after.state === "paid" && order.state === "awaiting_payment";
  const columns: sql.Moved = Object.fromEntries(changed.map((column) => [column, after[column]]));
  const times = { ...(isMoved && { state_since: now }), ...(isPaid && { paid_at: now }) };
  const set = { ...columns, ...times };
  if ((await sql.moveOrder.run(tx, { id: order.id, from: order.state, ...set })) !== 1)
    throw new Error("An order moved under its lock.");
  return { ...order, ...set };
}

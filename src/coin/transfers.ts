import type { SharedWrite, Tx } from "../db/engine.ts";
import { rememberWrites } from "../identity/writes/own-writes.ts";
import { append } from "../ledger/append.ts";
import { sha256Hex } from "../ledger/sha256.ts";
import { type Removable, removable } from "../removals/removable.ts";
import * as entries from "./entries.ts";
import { lockAccounts, type Made, type NewTransfer, transferEach } from "./transfer-queries.ts";

/** A transfer that an agent asked for. */
interface Order {
  readonly transfer: NewTransfer;
  /** The sender's row. */
  readonly sender: number;
  /** What the sender marked it with, and its place among the marks of writes. */
  readonly mark: { readonly client_ref: string; readonly mark_sha256: Uint8Array } | null;
  /** Whether the time in which it may be made is over. */
  readonly isLate: () => boolean;
}

/** A transfer that was made, or why not; null: its sender had too little. */
type Outcome = Made | "late" | null;

/** Stores transfers, each with its entry. */
export async function makeTransfers(tx: Tx, orders: readonly Order[]): Promise<Outcome[]> {
  const outcomes = new Map<NewTransfer, Made>();
  const late = new Set(orders.filter(({ isLate }) => isLate()));
  const wanted = orders.flatMap((order) => (late.has(order) ? [] : [order.transfer]));
  const agents = wanted.flatMap(({ from_agent, to_agent }) => [from_agent, to_agent]);
  lockAccounts(tx, { agents }).catch(() => {}); // Travels with the first round, which fails with it.
  for (const round of roundsOf(wanted)) {
    const made = await transferEach(tx, round);
    const bySender = new Map(made.map((each) => [each.from_agent, each]));
    for (const each of round) {
      const own = bySender.get(each.from_agent);
      if (own === undefined) continue;
      outcomes.set(each, own);
      append(tx, entries.coinTransfer, {
        transfer_id: own.id,
        from: each.from_agent,
        to: each.to_agent,
        amount_micro: each.amount,
        memo_sha256: each.memo === null ? undefined : sha256Hex(each.memo),
      });
    }
  }
  return orders.map((order) => (late.has(order) ? "late" : (outcomes.get(order.transfer) ?? null)));
}

export const SEND_PATH = "/coin/send";

/** The same for many senders at once, each of whom finds its own again. */
export const storeTransfers: SharedWrite<Order, Outcome> = async (tx, orders) => {
  const outcomes = await makeTransfers(tx, orders);
  const own = orders.flatMap((order, i) => ownWriteOf(order, outcomes[i] ?? null));
  await rememberWrites(tx, own);
  return outcomes;
};

/** What its sender can look up afterwards. */
function ownWriteOf({ sender: agent, mark, transfer }: Order, made: Outcome) {
  const { created_at } = transfer;
  if (mark === null || made === null || made === "late") return [];
  const { kind } = entries.coinTransfer;
  return [{ agent, ...mark, path: SEND_PATH, kind, item: String(made.id), created_at }];
}

/**
 * The same transfers in rounds, in each of which no agent is twice: one that sends or receives again
 * comes after its earlier ones, so each account sees its transfers in the order of the calls.
 */
export function roundsOf<T extends Pick<NewTransfer, "from_agent" | "to_agent">>(
  wanted: readonly T[],
): readonly (readonly T[])[] {
  const rounds: T[][] = [];
  const next = new Map<string, number>();
  for (const each of wanted) {
    const { from_agent, to_agent } = each;
    const at = Math.max(next.get(from_agent) ?? 0, next.get(to_agent) ?? 0);
    next.set(from_agent, at + 1).set(to_agent, at + 1);
    const round = rounds[at];
    if (round === undefined) rounds.push([each]);
    else round.push(each);
  }
  return rounds;
}

/** The memo of a transfer, which the operator can take away. */
export const COIN_TEXTS = {
  coin_transfer: removable({
    kind: entries.coinTransfer,
    table: "coin_transfer",
    row: { id: "transfer_id" },
    texts: { memo: null },
  }),
} as const satisfies Readonly<Record<string, Removable>>;

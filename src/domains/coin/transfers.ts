import type { GroupTx, Tx } from "../../platform/db/engine.ts";
import { grouped } from "../../platform/db/rows.ts";
import { append } from "../../platform/ledger/append.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import { type Removable, removable } from "../removals/removable.ts";
import * as entries from "./entries.ts";
import { lockAccounts, type Made, type NewTransfer, transferEach } from "./transfer-queries.ts";

/** Makes a transfer, with its entry. Resolves to null, and makes none, where its sender has too little. */
export async function transferIn(tx: GroupTx, transfer: NewTransfer): Promise<Made | null> {
  const made = await tx.together(transfers, transfer);
  if (made === null) return null;
  const { from_agent: from, to_agent: to, amount: amount_micro, memo } = transfer;
  const memo_sha256 = memo === null ? undefined : sha256Hex(memo);
  append(tx, entries.coinTransfer, { transfer_id: made.id, from, to, amount_micro, memo_sha256 });
  return made;
}

/** Transfers of many callers; of each, what was made, or null. */
const transfers = grouped("coin_transfer", makeTransfers);

async function makeTransfers(
  tx: Tx,
  wanted: readonly NewTransfer[],
): Promise<readonly (Made | null)[]> {
  const outcomes = new Map<NewTransfer, Made>();
  const agents = wanted.flatMap(({ from_agent, to_agent }) => [from_agent, to_agent]);
  lockAccounts(tx, { agents }).catch(() => {}); // Travels with the first round, which fails with it.
  for (const round of roundsOf(wanted)) {
    const made = await transferEach(tx, round);
    const bySender = new Map(made.map((each) => [each.from_agent, each]));
    for (const each of round) {
      const own = bySender.get(each.from_agent);
      if (own !== undefined) outcomes.set(each, own);
    }
  }
  return wanted.map((each) => outcomes.get(each) ?? null);
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

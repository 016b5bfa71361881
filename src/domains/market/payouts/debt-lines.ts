import type { Context } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import { openDebtsOf } from "../audit/commitment-queries.ts";
import { editedDebts, isOrderSealed } from "../audit/commitments.ts";
import { openGroups } from "./payable-queries.ts";

/** A debt that nothing has paid. */
export type OpenDebt = Awaited<ReturnType<typeof openDebtsOf.all>>[number];

/** What one transfer may pay of an order. */
export interface DebtLine {
  readonly order_id: number;
  /** Null when no Nano account sent it. */
  readonly to: string | null;
  /** All that the order owes to this account, the oldest first. */
  readonly debts: readonly OpenDebt[];
  /** Its one debt is not what was sealed. */
  readonly edited: boolean;
}

/**
 * The open debts of an order, one line for each account. A debt to nobody's account stands alone, as
 * nobody knows whether two of them are owed to one person; so does one that somebody has edited. It is asked in a
 * snapshot.
 */
export async function debtLines(
  context: Pick<Context, "isProven">,
  read: Db,
  order_id: number,
): Promise<DebtLine[]> {
  const debts = await openDebtsOf.all(read, { order_id });
  const isSealed = await isOrderSealed(context, read, order_id);
  const edited = isSealed ? await editedDebts(read, order_id) : new Set(debts.map(({ n }) => n));
  const lines = Map.groupBy(debts, ({ n, to_account }) => (edited.has(n) ? n : (to_account ?? n)));
  return [...lines].map(([key, owed]) => ({
    order_id,
    to: typeof key === "string" ? key : null,
    debts: owed,
    edited: owed.some(({ n }) => edited.has(n)),
  }));
}

/** Some of the lines of all orders, and how many there are. */
interface DebtPage {
  readonly lines: readonly DebtLine[];
  readonly total: number;
}

/** The lines of all orders, the largest first. */
export async function allDebtLines(
  context: Pick<Context, "snapshot" | "isProven">,
  { limit, offset = 0 }: { readonly limit: number; readonly offset?: number | undefined },
): Promise<DebtPage> {
  const { snapshot } = context;
  const groups = await snapshot((db) => openGroups.all(db, { limit, offset }));
  const known = new Map<number, readonly DebtLine[]>();
  const lines = new Set<DebtLine>();
  for (const { order_id, of } of groups) {
    const all = known.get(order_id) ?? (await snapshot((db) => debtLines(context, db, order_id)));
    known.set(order_id, all);
    for (const line of all)
      if (line.debts.some(({ n, to_account }) => (to_account ?? `#${n}`) === of)) lines.add(line);
  }
  return { lines: [...lines], total: Number(groups[0]?.total ?? 0) };
}

/**
 * The amounts that settle a line: of its oldest debt, of its two oldest, and so on, each with how many
 * these are. So what was sent says what it was for, even where a debt has been added since.
 */
export function settlingAmounts(
  debts: readonly Pick<OpenDebt, "amount_raw">[],
): ReadonlyMap<string, number> {
  let sum = 0n;
  return new Map(
    debts.map(({ amount_raw }, i) => {
      sum += BigInt(amount_raw);
      return [String(sum), i + 1];
    }),
  );
}

/** The numbers of some debts as an entry names them: `1,2,5`. */
export const numbersOf = (debts: readonly Pick<OpenDebt, "n">[]): string =>
  debts.map(({ n }) => n).join(",");

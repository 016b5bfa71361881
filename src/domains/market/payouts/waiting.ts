import type { Db } from "../../../platform/db/engine.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import * as sql from "./waiting-queries.ts";

/** A wallet with more that waits is slow to read. */
export const UNRECEIVED_MAX = 1_000;

/** Work that waits for the operator, by kind: how many, and the age of the oldest. */
export type Waiting = Readonly<
  Record<Kind, { readonly n: number; readonly age_s: Seconds | null }>
>;
type Kind = "hold" | "payout" | "refund" | "unmatched" | "doubt" | "unchecked";

export async function waitingOf(read: Db, now: Seconds): Promise<Waiting> {
  const shown = (found: { n: number; since: Seconds | null } | undefined) => {
    const since = found?.since ?? null;
    return { n: found?.n ?? 0, age_s: since === null ? null : Math.max(0, now - since) };
  };
  return {
    hold: shown(await sql.heldOrders.first(read, {})),
    payout: shown(await sql.releasedOrders.first(read, {})),
    refund: shown(await sql.openRefunds.first(read, {})),
    unmatched: shown(await sql.unmatchedPayments.first(read, {})),
    doubt: shown(await sql.openDoubts.first(read, {})),
    unchecked: shown(await sql.uncheckedSends.first(read, {})),
  };
}

import { accountText } from "../../chain/account.ts";
import type { Context } from "../../context.ts";
import type { Db } from "../../db/engine.ts";
import { days, HOUR_S, type Seconds } from "../../kernel/time.ts";
import { DOUBT_SHOWN_AFTER_S } from "../payments/doubt-acts.ts";
import { watched } from "../queries.ts";
import { SCAN_AGE_MAX_S } from "../rules.ts";
import * as sql from "./attention-queries.ts";

const HOLD_SHOWN_AFTER_S = days(7);
const UNMATCHED_SHOWN_AFTER_S = 24 * HOUR_S;
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

/** Something that has waited too long. */
export interface Attention {
  readonly kind: Kind | "scan" | "unreceived";
  readonly count: number;
  readonly age_s: Seconds | null;
}

type Needs = Pick<Context, "read" | "clock"> & {
  readonly settings: Pick<Context["settings"], "escrowKey" | "payWithin_s">;
};

/** What the operator is to look at now; a hold from its seventh day on, so long before it ends by itself. */
export async function attentionsOf({ read, clock, settings }: Needs): Promise<Attention[]> {
  const now = clock.now();
  const { payWithin_s, escrowKey } = settings;
  const waiting = await waitingOf(read, now);
  const late = (kind: Kind, after_s: Seconds): Attention[] => {
    const { n: count, age_s } = waiting[kind];
    return age_s !== null && age_s > after_s ? [{ kind, count, age_s }] : [];
  };
  const account = escrowKey === null ? null : accountText(escrowKey);
  const watch = account === null ? undefined : await watched.first(read, { account });
  const scanned_at = watch?.scanned_at ?? null;
  const scan_s = scanned_at === null ? null : now - scanned_at;
  const unreceived = watch?.unreceived ?? 0;
  return [
    ...late("hold", HOLD_SHOWN_AFTER_S),
    ...late("payout", payWithin_s),
    ...late("refund", payWithin_s),
    ...late("unmatched", UNMATCHED_SHOWN_AFTER_S),
    ...late("doubt", DOUBT_SHOWN_AFTER_S),
    ...(scan_s !== null && scan_s > SCAN_AGE_MAX_S
      ? [{ kind: "scan", count: 1, age_s: scan_s } as const]
      : []),
    ...(unreceived > UNRECEIVED_MAX
      ? [{ kind: "unreceived", count: unreceived, age_s: null } as const]
      : []),
  ];
}

const TOLD_EVERY_S = 24 * HOUR_S;

/** Tells each kind once a day, as long as it lasts. */
export function dailyAttention(tell: (attention: Attention) => void) {
  const reportedAt = new Map<Attention["kind"], Seconds>();
  return async (context: Needs): Promise<void> => {
    const now = context.clock.now();
    for (const attention of await attentionsOf(context)) {
      if (now - (reportedAt.get(attention.kind) ?? Number.NEGATIVE_INFINITY) < TOLD_EVERY_S)
        continue;
      reportedAt.set(attention.kind, now);
      tell(attention);
    }
  };
}

import type { Context } from "../../context.ts";
import type { Seconds } from "../../kernel/time.ts";
import { entryById, oldestUnsequenced } from "../entry-queries.ts";
import * as sql from "../queries.ts";

/** The operators' health says no beyond these. */
export const SEQUENCER_LAG_MAX_S = 10;
const SEAL_DELAY_MAX_S = 180;
/** How much longer than its interval a seal may take, where the interval is long. */
const SEAL_DELAY_BEYOND_INTERVAL_S = 60;

/** When an entry without a seal is a fault, given how often seals are made. */
export const sealDelayMax_s = (interval_s: Seconds): Seconds =>
  Math.max(SEAL_DELAY_MAX_S, interval_s + SEAL_DELAY_BEYOND_INTERVAL_S);

/** Where the ledger stands, for operators. */
export interface LedgerHealth {
  readonly entries: number;
  readonly seals: number;
  /** Age of the oldest entry without an id, as seen by this process. */
  readonly sequencer_lag_s: Seconds;
  /** Age of the oldest entry without a seal. */
  readonly seal_delay_s: Seconds;
  readonly unsigned_seqs: number;
  readonly first_broken_seq: number | null;
}

/** Looks at the ledger; remembers since when the oldest entry without an id has waited. */
export function ledgerHealth(): (
  context: Pick<Context, "read" | "clock">,
) => Promise<LedgerHealth> {
  let oldest: { readonly row_id: number; readonly since: Seconds } | null = null;

  return async ({ read, clock }) => {
    const now = clock.now();
    const [ledger, chain, waiting, unsigned] = await Promise.all([
      sql.ledgerHead.first(read, {}),
      sql.sealHead.first(read, {}),
      oldestUnsequenced.first(read, {}),
      sql.countUnsigned.first(read, {}),
    ]);
    const row_id = waiting?.row_id;
    if (row_id === undefined) oldest = null;
    else if (oldest?.row_id !== row_id) oldest = { row_id, since: now };
    const unsealed = await entryById.first(read, { ledger_id: (chain?.last_to_id ?? 0) + 1 });
    return {
      entries: ledger?.last_id ?? 0,
      seals: chain?.last_seq ?? 0,
      sequencer_lag_s: oldest === null ? 0 : now - oldest.since,
      seal_delay_s: unsealed?.at == null ? 0 : now - unsealed.at,
      unsigned_seqs: unsigned?.seals ?? 0,
      first_broken_seq: chain?.first_broken_seq ?? null,
    };
  };
}

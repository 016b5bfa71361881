import type { Store } from "../../platform/db/engine.ts";
import { ledgerHead } from "../../platform/ledger/queries.ts";

/** A replica that is further behind is left out. */
export const REPLICA_LAG_MAX_MS = 5_000;

/**
 * Looks how far the replica follows, and leaves it out when it fails or has lacked for 5 seconds an
 * entry that the database had. The ledger's head is the measure: while nothing is written, a replica
 * that receives nothing has no lag.
 */
export function replicaWatch(now_ms: () => number): (store: Store) => Promise<void> {
  /** The entry that the replica is known to lack, and since when. */
  let awaited: { readonly id: number; readonly since_ms: number } | null = null;

  return async ({ read, replica }) => {
    if (replica === null) return;
    const ours = (await ledgerHead.first(read, {}))?.last_id ?? 0;
    const head = await ledgerHead.first(replica.follower, {}).catch(() => null);
    if (head === null) return replica.leaveOut();
    const theirs = head?.last_id ?? 0;
    if (awaited !== null && theirs >= awaited.id) awaited = null;
    if (theirs < ours) awaited ??= { id: ours, since_ms: now_ms() };
    if (awaited !== null && now_ms() - awaited.since_ms > REPLICA_LAG_MAX_MS) replica.leaveOut();
  };
}

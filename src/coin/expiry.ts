import type { Context } from "../context.ts";
import { append } from "../ledger/append.ts";
import * as entries from "./entries.ts";
import * as sql from "./queries.ts";

/** Entitlements that one transaction expires. */
const BATCH_MAX = 500;

/**
 * Returns to the pool what nobody collected in time; resolves to how many entitlements. The
 * shown and collectable amounts follow from the clock, and never wait for this.
 */
export async function expireOverdue({
  read,
  write,
  clock,
  rewardPool,
}: Pick<Context, "read" | "write" | "clock" | "rewardPool">): Promise<number> {
  if (!clock.mayEnd()) return 0;
  for (let total = 0; ; ) {
    const now = clock.now();
    const overdue = await sql.overdueEntitlements.all(read, { now, limit: BATCH_MAX });
    if (overdue.length === 0) return total;
    rewardPool.refuseBroken();
    total += await write(async (tx) => {
      const made_at = clock.now();
      let expired = 0;
      for (const { id, agent_id, amount } of overdue) {
        if ((await sql.expireEntitlement.run(tx, { id, now: made_at })) === 0) continue;
        append(tx, entries.coinExpire, {
          entitlement_id: id,
          agent: agent_id,
          amount_micro: amount,
          made_at,
        });
        expired++;
      }
      return expired;
    });
  }
}

import type { Context } from "../../platform/context.ts";
import { enact } from "../../platform/ledger/rows/enact.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";

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
      for (const { id: entitlement_id, agent_id: agent, amount: amount_micro } of overdue) {
        const fields = { entitlement_id, agent, amount_micro };
        if ((await enact(tx, rows.coinExpire, fields, made_at)) !== undefined) expired++;
      }
      return expired;
    });
  }
}

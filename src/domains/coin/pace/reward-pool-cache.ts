import type { RewardPool } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import { micro } from "../../../platform/kernel/money.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { announcedPace } from "../../../platform/ledger/announcements/announcement-queries.ts";
import * as sql from "../queries.ts";
import { paceOf } from "./pace.ts";

/** What a process remembers of the reward pool, so that no handler touches the system rows. */
export interface RewardPoolCache extends RewardPool {
  /** Looks at the reward pool and at what was granted, outside of every write. */
  refresh(read: Db, now: Seconds): Promise<void>;
  /** Takes what a check has found; after one of `STOPPING` no coin moves on this node. */
  report(violations: readonly { readonly invariant: string }[]): void;
}

/** Without these a balance or the supply itself could be wrong. */
const STOPPING: ReadonlySet<string> = new Set(["I1", "I3", "I4"]);

/**
 * Everybody draws on the reward pool, and its row stands at the ledger's head, not at the last
 * commit. So a grant is not checked against the row but against this memory, with a reserve that is
 * larger than all grants between two looks; the CHECK on the row stands behind it. A look a second
 * is right on any number of nodes, whichever sequences, where a figure maintained by this process's own
 * sequencing would be right on one. Until the first look the pool counts as empty.
 */
export function rewardPoolCache(): RewardPoolCache {
  let pool = micro<"coin">(0n);
  const pace = paceOf();
  let isBroken = false;
  let violations = 0;
  return {
    balance: () => pool,
    pace,
    async refresh(read, now) {
      const [row, announced, hours] = await Promise.all([
        sql.accountBalance.first(read, { account: "reward_pool" }),
        announcedPace.first(read, {}),
        sql.grantHours.all(read, { from_hour: pace.seenFrom(now) }),
      ]);
      pool = micro(row?.balance ?? 0n);
      pace.refresh(announced?.rewards_per_hour || null, hours, now);
    },
    violations: () => violations,
    report(found) {
      violations += found.length;
      isBroken ||= found.some(({ invariant }) => STOPPING.has(invariant));
    },
    refuseBroken() {
      if (isBroken)
        throw new Rejection(
          "storage_unavailable",
          "The coin's books do not add up on this node, so nothing moves until its operator has looked.",
        );
    },
  };
}

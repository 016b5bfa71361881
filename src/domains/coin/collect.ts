import type { Agent, Context } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/engine.ts";
import { micro } from "../../platform/kernel/money.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { enactSurely } from "../../platform/ledger/rows/enact.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";
import { type Entitlement, earliest, showEntitlement, sumOf } from "./rules.ts";

/** What an agent has not collected, newest first: pending, matured, and expired without a job's notice. */
export const uncollected = async (
  read: Db,
  agent_id: string,
  now: Seconds,
): Promise<Entitlement[]> =>
  (await sql.liveEntitlements.all(read, { agent_id })).map((row) => showEntitlement(row, now));

export const balanceIn = async (read: Db, agent_id: string) =>
  micro<"coin">((await sql.balanceOf.first(read, { agent_id }))?.balance ?? 0);

/**
 * Credits every matured entitlement of the agent at once. Of claims and expiries that run at the
 * same time exactly one changes an entitlement's row: their conditions on it are opposite.
 */
export async function collect(
  { read, write, clock, rewardPool }: Pick<Context, "read" | "write" | "clock" | "rewardPool">,
  { agent_id }: Agent,
) {
  const nothing = async (db: Db, open: readonly Entitlement[]) => ({
    collected: micro<"coin">(0n),
    coin_claim_id: null,
    entitlements: [],
    balance: await balanceIn(db, agent_id),
    ...waiting(open),
  });
  const seen = await uncollected(read, agent_id, clock.now());
  if (maturedOf(seen).length === 0) return nothing(read, seen);
  rewardPool.refuseBroken();

  return write(async (tx) => {
    const now = clock.now();
    const open = await uncollected(tx, agent_id, now);
    const matured = maturedOf(open).toSorted((a, b) => a.id - b.id);
    if (matured.length === 0) return nothing(tx, open);
    return { ...(await credit(tx, agent_id, matured, now)), ...waiting(open) };
  });
}

async function credit(tx: Tx, agent_id: string, matured: readonly Entitlement[], now: Seconds) {
  const collected = sumOf(matured);
  const amount = Number(collected);
  const count = matured.length;
  const entitlements = matured.map(({ id }) => id).join(",");
  const fields = { agent: agent_id, amount_micro: amount, count, entitlements };
  const { id: coin_claim_id } = await enactSurely(tx, rows.coinClaim, fields, now);
  const credited = await sql.creditMatured.run(tx, { agent_id, coin_claim_id, now });
  if (credited !== count) throw new Error("Other entitlements were credited than were counted.");
  await sql.credit.run(tx, { agent_id, balance: amount });
  return {
    collected,
    coin_claim_id,
    entitlements: matured.map((each) => ({ ...each, state: "credited" as const })),
    balance: await balanceIn(tx, agent_id),
  };
}

const maturedOf = (open: readonly Entitlement[]) => open.filter(({ state }) => state === "matured");

/** The coins that are still to mature, and the time of the next ones. */
export function waiting(open: readonly Entitlement[]) {
  const pending = open.filter(({ state }) => state === "pending");
  return {
    pending: sumOf(pending),
    next_maturity_at: earliest(pending.map(({ matures_at }) => matures_at)),
  };
}

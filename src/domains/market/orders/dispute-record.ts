import type { Db } from "../../../platform/db/engine.ts";
import type { Role } from "../rules.ts";
import { disputeEnds } from "./dispute-queries.ts";

/** Counts of an agent's disputes on one side, by how they ended. */
async function sideOf(read: Db, agent: number, role: Role) {
  const ends = await disputeEnds[role].all(read, { agent });
  const of = (outcome: string | null) => ends.find((each) => each.outcome === outcome)?.n ?? 0;
  return { open: of(null), released: of("release"), refunded: of("refund"), resumed: of("resume") };
}

/** The ends of an agent's orders that their buyers disputed: facts, and no score. */
export async function disputeRecord(read: Db, agent: number) {
  const [as_buyer, as_seller] = await Promise.all([
    sideOf(read, agent, "buyer"),
    sideOf(read, agent, "seller"),
  ]);
  return { as_buyer, as_seller };
}

import type { Db, Tx } from "../db/engine.ts";
import type { Owner, PlacedEntry } from "../kernel/contract/entry-kind.ts";
import type { Projector } from "../ledger/sequencing/sequence.ts";
import { type Concern, concernsOf, type Key, type Parties, wantedBy } from "./concerns.ts";
import * as sql from "./queries.ts";

/**
 * Keeps the inboxes. It runs in the sequencing transaction, so a reader that sees entry k sees every
 * item up to k, and no two agents share a row.
 */
export const inboxProjector: Projector = async (tx, entries) => {
  await project(tx, entries);
};

/** Adds what concerns agents in these entries; resolves to the number of items that are new. */
export async function project(tx: Tx, entries: readonly PlacedEntry[]): Promise<number> {
  const parties = await lookUp(tx, wantedBy(entries));
  const concerns = entries.flatMap((entry): readonly Concern[] => concernsOf(entry, parties));
  return concerns.length === 0 ? 0 : sql.insertItems(tx, concerns);
}

type Found = Map<Owner, Map<Key, number[]>>;

/** Finds the parties: one query for each table, whatever the number of entries. */
async function lookUp(read: Db, wanted: ReturnType<typeof wantedBy>): Promise<Parties> {
  const found: Found = new Map();
  const tables = [...wanted].filter(([of]) => of !== "agent");
  await Promise.all(tables.map(([of, keys]) => lookIn(read, of, keys, found)));
  const agents = wanted.get("agent");
  if (agents !== undefined) await lookIn(read, "agent", agents, found);
  return (of, key) => found.get(of)?.get(key) ?? [];
}

async function lookIn(read: Db, of: Owner, wanted: ReadonlySet<Key>, found: Found): Promise<void> {
  const keys = JSON.stringify([...wanted]);
  const byKey = new Map<Key, number[]>();
  found.set(of, byKey);
  if (of === "market_order") {
    for (const { key, buyer, seller } of await sql.partiesOfOrders.all(read, { keys }))
      byKey.set(key, [buyer, seller]);
    return;
  }
  const rows: readonly { readonly key: Key; readonly agent: number | null }[] = await sql.ownersOf[
    of
  ].all(read, { keys });
  for (const { key, agent } of rows)
    if (agent !== null) byKey.set(key, [...(byKey.get(key) ?? []), agent]);
}

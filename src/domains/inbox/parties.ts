import type { Db } from "../../platform/db/engine.ts";
import type { Owner } from "../../platform/kernel/contract/entry-kind.ts";
import type { Key, Parties, wantedBy } from "./concerns.ts";
import * as sql from "./queries.ts";

type Found = Map<Owner, Map<Key, number[]>>;

/** Finds the parties: one query for each table, whatever the number of entries. */
export async function partiesOf(read: Db, wanted: ReturnType<typeof wantedBy>): Promise<Parties> {
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

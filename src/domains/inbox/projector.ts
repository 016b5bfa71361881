import type { Tx } from "../../platform/db/engine.ts";
import type { PlacedEntry } from "../../platform/kernel/contract/entry-kind.ts";
import type { Projector } from "../../platform/ledger/sequencing/sequence.ts";
import { type Concern, concernsOf, wantedBy } from "./concerns.ts";
import { partiesOf } from "./parties.ts";
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
  const parties = await partiesOf(tx, wantedBy(entries));
  const concerns = entries.flatMap((entry): readonly Concern[] => concernsOf(entry, parties));
  return concerns.length === 0 ? 0 : sql.insertItems(tx, concerns);
}

import { entriesOf } from "../../platform/kernel/contract/entry-kind.ts";
import type { Projector } from "../../platform/ledger/sequencing/sequence.ts";
import { app } from "../apps/entries.ts";
import * as sql from "./queries.ts";

const applications = entriesOf({ app });

/**
 * Counts the applications of each repository, which another domain registers, and takes them for
 * activity; one change per repository and batch.
 */
export const repositoryProjector: Projector = async (tx, entries) => {
  const counts = new Map<number, { id: number; applications: number; at: number }>();
  for (const {
    at,
    body: { repo_id: id },
  } of applications(entries)) {
    if (id === undefined) continue;
    counts.set(id, { id, applications: (counts.get(id)?.applications ?? 0) + 1, at });
  }
  const rows = [...counts.values()].map((count) => ({ ...count, members: 0, commits: 0 }));
  await sql.recordActivities(tx, rows);
};

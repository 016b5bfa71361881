import { openSnapshot } from "../../main/storage/database.ts";
import type { Snapshot } from "../../platform/db/table-copy.ts";
import { entryById } from "../../platform/ledger/entry-queries.ts";
import { ledgerHead } from "../../platform/ledger/queries.ts";
import type { Finding, Patient } from "./finding.ts";

/** Whether the replica answers and follows. The snapshot is older, so it should have all of that. */
export async function checkReplica({ configuration, snapshot }: Patient): Promise<Finding[]> {
  const { databaseReadUrl } = configuration;
  if (databaseReadUrl === null || snapshot === null) return [];
  const replica = await openSnapshot({ ...configuration, databaseUrl: databaseReadUrl });
  try {
    return [await comparison(snapshot, replica)];
  } finally {
    await replica.close();
  }
}

async function comparison(database: Snapshot, replica: Snapshot): Promise<Finding> {
  const about = "replica";
  const advice = "Name a replica of the database in CAIRN_DATABASE_READ_URL, or take it away.";
  if (database.schema.join() !== replica.schema.join()) {
    const text = `It has ${replica.schema.length} migrations, the database ${database.schema.length}.`;
    return { about, state: "fault", text, advice };
  }
  const ours = await lastId(database);
  const theirs = await lastId(replica);
  const shared_id = Math.max(1, Math.min(ours, theirs));
  if ((await entryText(database, shared_id)) !== (await entryText(replica, shared_id))) {
    return { about, state: "fault", text: `Its entry ${shared_id} is another one.`, advice };
  }
  if (theirs >= ours) return { about, state: "ok", text: "It answers, and has every entry." };
  const text = `It lacks what the database had a moment ago: ${ours - theirs} of its entries.`;
  return { about, state: "warning", text, advice: "Ask again; if it stays behind, look at it." };
}

const lastId = async ({ read }: Snapshot) => (await ledgerHead.first(read, {}))?.last_id ?? 0;

const entryText = async ({ read }: Snapshot, ledger_id: number) =>
  (await entryById.first(read, { ledger_id }))?.entry;

import type { OldEntries } from "../migrate.ts";
import { connectFirst } from "./hosts.ts";
import { migratePostgres, oldEntriesInPostgres } from "./migrate.ts";
import { PATIENCE_MS } from "./pool.ts";

/** The new table beside the old one, which goes when it is whole. */
const NEEDED_PART = 0.35;

/** What a database has in an earlier form; rejects with a sentence when it cannot be reached. */
export async function postgresOldEntries<T>(
  url: string,
  work: (old: OldEntries) => Promise<T>,
): Promise<T> {
  const client = await connectFirst(url, { connectionTimeoutMillis: PATIENCE_MS });
  try {
    const { entries, bytes } = await oldEntriesInPostgres(client);
    const needed_bytes = entries === 0 ? 0 : Math.ceil(NEEDED_PART * bytes);
    const move = async (report: (entries: number) => void) =>
      void (await migratePostgres(client, { report }));
    return await work({ entries, needed_bytes, free_bytes: null, move });
  } finally {
    await client.end();
  }
}

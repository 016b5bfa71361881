import type { OldEntries } from "../../db/migrate.ts";
import { sqliteOldEntries } from "../../db/sqlite/migrate.ts";
import { isNothingAt } from "../running/trusted-file.ts";
import type { Configuration } from "../settings/settings.ts";
import { databaseFile } from "./database.ts";
import { lockFolder } from "./folder-lock.ts";

/** Hands out what the configured database has in an earlier form, for this process alone. Rejects with a sentence. */
export async function withOldEntries<T>(
  { databaseUrl, dataDir }: Configuration,
  work: (old: OldEntries) => Promise<T>,
): Promise<T> {
  if (databaseUrl !== null) {
    const { postgresOldEntries } = await import("../../db/postgres/old-entries.ts");
    return postgresOldEntries(databaseUrl, work);
  }
  const path = databaseFile({ dataDir });
  if (isNothingAt(path)) throw new Error(`There is no database ${path}.`);
  const lock = lockFolder(dataDir);
  try {
    return await sqliteOldEntries(path, work);
  } finally {
    lock.release();
  }
}

import { statSync } from "node:fs";
import { restartInboxes } from "../../domains/inbox/backfill.ts";
import { isNothingAt } from "../../main/running/trusted-file.ts";
import type { Configuration } from "../../main/settings/settings.ts";
import { copiedDatabase, type NewDatabase, newDatabase } from "../../main/storage/database.ts";
import { refuseEndedFile } from "../../platform/db/sqlite/ended.ts";
import { NOBODY, type Walked, walkChain } from "../../verify/walk.ts";
import { isDatabaseFile } from "../command/lines.ts";
import { messageOf, REFUSED, Stop, UNREADABLE } from "../command/stop.ts";
import { openExport } from "../transfer/export-reader.ts";
import { fillDraft } from "../transfer/fill.ts";
import { rowMeter } from "../transfer/row-meter.ts";
import { databaseChain } from "../verify/database-chain.ts";
import { pinsFor, type Trusted, trustedIn } from "../verify/pinned-keys.ts";
import { withProgress } from "../verify/progress.ts";

/** A database that is not published yet, what the walk over its chain saw, and by which keys. */
interface Restored {
  readonly database: NewDatabase;
  readonly walked: Walked;
  readonly trusted: Trusted;
}

/**
 * Reads a backup of either kind into a new database. The caller publishes or discards it. Nothing is there before the
 * backup is known as one, not even the folder of the key.
 */
export async function restoredFrom(
  file: string,
  configuration: Configuration,
  genesisKey: string | undefined,
): Promise<Restored> {
  if (isNothingAt(file)) throw new Stop(UNREADABLE, `${file} is not there.`);
  const read = (await isDatabaseFile(file)) ? fromDatabase : fromExport;
  return read(file, configuration, genesisKey);
}

/** Not the file is looked at but its copy, which is what will be served. */
async function fromDatabase(
  file: string,
  configuration: Configuration,
  genesisKey: string | undefined,
): Promise<Restored> {
  if (configuration.databaseUrl !== null) {
    throw new Stop(
      REFUSED,
      "This is a backup of SQLite, and the settings name PostgreSQL: restore it without CAIRN_DATABASE_URL, then export it and import that.",
    );
  }
  demandReadable(file);
  const log = `${file}-wal`;
  if (!isNothingAt(log) && statSync(log).size > 0) {
    throw new Stop(REFUSED, `${file} is no backup: a part of it is in ${log}.`);
  }
  const trusted = trustedIn(configuration, genesisKey);
  const database = await copiedDatabase(configuration, file);
  try {
    const chain = await databaseChain(database.tx);
    const pins = pinsFor(chain.header, trusted);
    return { database, walked: await walkChain(withProgress(chain), pins, NOBODY), trusted };
  } catch (error) {
    await database.discard();
    throw error;
  }
}

/** A Stop for a backup of a version before 0.3.0. */
function demandReadable(file: string): void {
  try {
    refuseEndedFile(file, `The backup ${file}`);
  } catch (error) {
    throw new Stop(UNREADABLE, messageOf(error), error);
  }
}

async function fromExport(
  file: string,
  configuration: Configuration,
  genesisKey: string | undefined,
): Promise<Restored> {
  const source = await openExport(file);
  const trusted = trustedIn(configuration, genesisKey);
  const pins = pinsFor(source.header, trusted);
  const database = await newDatabase(configuration);
  const meter = rowMeter(source.header.tables.reduce((sum, { rows }) => sum + rows, 0));
  try {
    const walked = await fillDraft(database, source, pins, meter.report);
    await restartInboxes(database.tx);
    return { database, walked, trusted };
  } catch (error) {
    await database.discard();
    throw error;
  } finally {
    meter.end();
  }
}

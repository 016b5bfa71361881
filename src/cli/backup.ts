import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { faultsOfFile, vacuumInto } from "../db/sqlite-copy.ts";
import { databaseFile, fileSnapshot, openSnapshot } from "../main/database.ts";
import { placeFor } from "../main/place.ts";
import type { Configuration } from "../main/settings.ts";
import { type Given, type Outcome, onlyFile, runCommand, SETTINGS_HELP } from "./command.ts";
import { copyOutcome, walkCopy } from "./copied.ts";
import { databaseChain } from "./database-chain.ts";
import { writeExport } from "./export.ts";
import { REFUSED, Stop } from "./stop.ts";

const HELP = `usage: cairn backup <file or folder> [options]

Copies the database as it is at one moment, while the service runs, and walks the chain in the
copy. In a folder the name is made of the time. On SQLite the copy is a database file; on
PostgreSQL it is an export. Only its owner can read it. Neither the operator's key nor the
signer's memory is in it: keep a copy of operator.key apart.

${SETTINGS_HELP}

exit codes: 0 done, 1 refused, failed, or made a copy whose chain is broken, 2 wrong usage`;

/** `cairn backup`: resolves to its exit code. */
export const backup = (args: readonly string[]): Promise<number> =>
  runCommand(args, { help: HELP, texts: [], switches: [], run });

async function run(given: Given): Promise<Outcome> {
  const { configuration } = given;
  const file = fileIn(onlyFile(given), configuration);
  if (configuration.databaseUrl === null) return copyFile(databaseFile(configuration), file);
  const snapshot = await openSnapshot(configuration);
  try {
    return await writeExport(snapshot, file);
  } finally {
    await snapshot.close();
  }
}

/** A name of the time in a folder; any other name as it is. */
function fileIn(named: string, { databaseUrl }: Configuration): string {
  if (!existsSync(named) || !statSync(named).isDirectory()) return named;
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  return join(named, `cairn-${time}.${databaseUrl === null ? "db" : "ndjson.gz"}`);
}

async function copyFile(source: string, file: string): Promise<Outcome> {
  await fileSnapshot(source).close(); // Says in a sentence when there is nothing to copy.
  const place = placeFor(file);
  try {
    const begin = performance.now();
    vacuumInto(source, place.unfinished);
    const made = `copied in ${((performance.now() - begin) / 1_000).toFixed(1)} s`;
    const [fault] = faultsOfFile(place.unfinished);
    if (fault !== undefined) throw new Stop(REFUSED, `The copy was damaged: ${fault}.`);
    const snapshot = fileSnapshot(place.unfinished);
    const walked = await databaseChain(snapshot.read)
      .then(walkCopy)
      .finally(() => snapshot.close());
    place.publish();
    return copyOutcome(file, walked, made);
  } finally {
    place.discard();
  }
}

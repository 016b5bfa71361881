import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { file } from "../../domains/operator/values.ts";
import { isNothingAt } from "../../main/running/trusted-file.ts";
import type { Configuration } from "../../main/settings/settings.ts";
import { beginFile } from "../../main/storage/atomic-file.ts";
import { databaseFile, fileSnapshot } from "../../main/storage/database.ts";
import { noteBackup } from "../../main/storage/last-backup.ts";
import { faultsOfFile, vacuumInto } from "../../platform/db/sqlite/copy.ts";
import { command, type Outcome } from "../command/command.ts";
import { REFUSED, Stop } from "../command/stop.ts";
import { copyOutcome, walkCopy } from "../transfer/copied.ts";
import { exportTo } from "../transfer/export.ts";
import { databaseChain } from "../verify/database-chain.ts";

export const backup = command({
  name: "backup",
  summary: "copy the database while the service runs, and check the copy",
  about: `Copies the database as it is at one moment, while the service runs, and walks the chain in the
copy. In a folder the name is made of the time. On SQLite the copy is a database file; on
PostgreSQL it is an export. Only its owner can read it. Neither the operator's key nor the
signer's memory is in it: keep a copy of operator.key apart.`,
  input: z.object({ file: file.meta({ takes: "<file or folder>" }) }),
  operands: ["file"],
  opens: "database",
  exits: {
    0: "done",
    1: "refused, failed, or made a copy whose chain is broken",
    2: "wrong usage",
  },
  async run({ values, configuration }) {
    const named = fileIn(values.file, configuration);
    const made = await (configuration.databaseUrl === null
      ? copyFile(databaseFile(configuration), named)
      : exportTo(named, configuration));
    if (made.exit_code === 0) noteCopy(configuration, named);
    return made;
  },
});

/** For the figures of the service; a folder that cannot be written does not undo the copy. */
function noteCopy({ dataDir }: Configuration, file: string): void {
  try {
    noteBackup(dataDir, { at: Math.floor(Date.now() / 1_000), file: resolve(file) });
  } catch (error) {
    console.error(`The copy was made, but last-backup.json was not: ${error}`);
  }
}

/** A name of the time in a folder; any other name as it is. */
function fileIn(named: string, { databaseUrl }: Configuration): string {
  if (isNothingAt(named) || !statSync(named).isDirectory()) return named;
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  return join(named, `cairn-${time}.${databaseUrl === null ? "db" : "ndjson.gz"}`);
}

async function copyFile(source: string, file: string): Promise<Outcome> {
  await fileSnapshot(source).close(); // Says in a sentence when there is nothing to copy.
  const place = beginFile(file, false);
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

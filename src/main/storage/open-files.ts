import { rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod";
import { missingOf, type OpenedFiles, openedFiles } from "../../platform/db/sqlite/files.ts";
import { isNothingAt } from "../running/trusted-file.ts";
import type { Configuration } from "../settings/settings.ts";
import { databaseFile } from "./database.ts";
import { isFolderTaken } from "./folder-lock.ts";
import { textOf } from "./memory-file.ts";

const OWNER_ONLY = 0o600;

const openedFile = z.object({ path: z.string(), ino: z.number(), dev: z.number() });
const announced = z.object({ database: openedFile, log: openedFile, index: openedFile });

type Place = Pick<Configuration, "dataDir" | "databaseUrl">;

export const openFilesFile = ({ dataDir }: Place) => join(dataDir, "open-files.json");

/** Tells commands which database files this service has open; the folder is locked. */
export function announceFiles(configuration: Place): void {
  if (configuration.databaseUrl !== null) return;
  const opened = openedFiles(databaseFile(configuration));
  writeFileSync(openFilesFile(configuration), `${JSON.stringify(opened)}\n`, { mode: OWNER_ONLY });
}

/** Before a service opens its files, and after it has closed them. */
export const withdrawFiles = (configuration: Place): void =>
  rmSync(openFilesFile(configuration), { force: true });

/**
 * Throws a sentence when a service runs on the folder whose database files are no longer in their places: with
 * others a second process would write the same pages at the same time.
 */
export function demandOpenFiles(configuration: Place): void {
  const { dataDir, databaseUrl } = configuration;
  if (databaseUrl !== null || isNothingAt(dataDir) || !isFolderTaken(dataDir)) return;
  const lost = lostFile(configuration);
  const missing = lost === undefined ? indexWithoutLog(databaseFile(configuration)) : lost;
  if (missing === null) return;
  throw new Error(
    `A service runs on the data folder ${dataDir}, and its ${basename(missing)} was removed or replaced. Stop it with SIGTERM and start it again.`,
  );
}

/** The path of a file that the service has lost, or null; undefined where it has announced none. */
function lostFile(configuration: Place): string | null | undefined {
  const opened = announcedIn(openFilesFile(configuration));
  if (opened === undefined) return undefined;
  const missing = missingOf(opened);
  return missing === undefined ? null : opened[missing].path;
}

function announcedIn(path: string): OpenedFiles | undefined {
  const text = textOf(path);
  try {
    return text === null ? undefined : announced.parse(JSON.parse(text));
  } catch {
    return undefined; // The service starts or stops.
  }
}

/** SQLite makes the index before anything is in the log. */
const indexWithoutLog = (path: string): string | null =>
  !isNothingAt(`${path}-wal`) && isNothingAt(`${path}-shm`) ? `${path}-shm` : null;

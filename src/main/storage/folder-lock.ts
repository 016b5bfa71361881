import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeFolder, NoFolder } from "../../platform/db/folder.ts";
import { isBusy } from "../../platform/db/sqlite/errors.ts";
import { isNothingAt } from "../running/trusted-file.ts";

const OWNER_ONLY = 0o600;

/** A command that looks whether a service runs has the lock for less than a millisecond. */
const LOOK_MAX_MS = 500;

/** A data folder that belongs to this process. */
export interface FolderLock {
  release(): void;
}

/**
 * Takes the data folder for this service. Two of them would sign with one memory, each without what
 * the other has signed. The lock is that of an SQLite file, which the system lets go of with the
 * process, however it ends. Throws a sentence when another process has it.
 */
export function lockFolder(dataDir: string): FolderLock {
  const database = openLock(dataDir);
  try {
    // A journal in memory: the lock can be had on a full disk, too.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw unusable(dataDir, error);
    throw new Error(
      `Another service runs on the data folder ${dataDir}. Stop it first, or name another folder with --data-dir.`,
      { cause: error },
    );
  }
}

/** Whether a service has the folder, which is there. */
export function isFolderTaken(dataDir: string): boolean {
  const file = fileIn(dataDir);
  if (isNothingAt(file)) return false;
  const database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
  try {
    database.prepare("SELECT name FROM sqlite_schema").get();
    return false;
  } catch (error) {
    if (!isBusy(error)) throw unusable(dataDir, error);
    return true;
  } finally {
    database.close();
  }
}

const fileIn = (dataDir: string): string => join(dataDir, "serve.lock");

function openLock(dataDir: string): DatabaseSync {
  const file = fileIn(dataDir);
  try {
    makeFolder(dataDir);
    closeSync(openSync(file, "a", OWNER_ONLY)); // SQLite would let everybody read a new file.
    return new DatabaseSync(file, { timeout: LOOK_MAX_MS });
  } catch (error) {
    if (error instanceof NoFolder) throw error;
    throw unusable(dataDir, error);
  }
}

function unusable(dataDir: string, cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Error(`The data folder ${dataDir} cannot be used: ${why}`, { cause });
}

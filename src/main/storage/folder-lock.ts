import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeFolder, NoFolder } from "../../db/folder.ts";
import { isBusy } from "../../db/sqlite/errors.ts";

const OWNER_ONLY = 0o600;

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
    database.exec("BEGIN EXCLUSIVE");
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

function openLock(dataDir: string): DatabaseSync {
  const file = join(dataDir, "serve.lock");
  try {
    makeFolder(dataDir);
    closeSync(openSync(file, "a", OWNER_ONLY)); // SQLite would let everybody read a new file.
    return new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    if (error instanceof NoFolder) throw error;
    throw unusable(dataDir, error);
  }
}

function unusable(dataDir: string, cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Error(`The data folder ${dataDir} cannot be used: ${why}`, { cause });
}

import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { makeFolder } from "../../platform/db/folder.ts";

const OWNER_ONLY = 0o600;

/** What SQLite may leave beside a database file. */
const COMPANIONS = ["", "-wal", "-shm", "-journal"];

/** A file that appears under its name whole, or not at all. */
export interface AtomicFile {
  /** Where it is written meanwhile: an empty file, beside the target, that only its owner reads. */
  readonly unfinished: string;
  /** Gives it its name, durably. Throws when there is one of that name by now. */
  publish(): void;
  discard(): void;
}

/**
 * Begins a file at `target`. What an earlier attempt left behind, which was cut off, is removed.
 * Throws a sentence when there is one already, or one that belongs to a database of that name; also where its
 * folder is missing and may not be made.
 */
export function beginFile(target: string, mayMakeFolder = true): AtomicFile {
  if (target.endsWith(sep))
    throw new Error(`There is no folder ${target}: make it, or name a file.`);
  const found = COMPANIONS.map((suffix) => target + suffix).find(existsSync);
  if (found !== undefined) throw new Error(`${found} is there already, and nothing overwrites it.`);
  if (!existsSync(dirname(target)) && !mayMakeFolder)
    throw new Error(`There is no folder ${dirname(target)}: make it, or is its disk not mounted?`);
  makeFolder(dirname(target));
  const prefix = `${target}.unfinished-`;
  removeLeftovers(prefix);
  const unfinished = prefix + process.pid;
  closeSync(openSync(unfinished, "wx", OWNER_ONLY));
  return {
    unfinished,
    publish() {
      sync(unfinished);
      linkSync(unfinished, target); // Unlike a renaming it never takes the place of another file.
      unlinkSync(unfinished);
      sync(dirname(target));
    },
    discard: () => remove(unfinished),
  };
}

/** Puts the bytes of a file into one that was begun. */
export function copyInto({ unfinished }: AtomicFile, source: string): void {
  copyFileSync(source, unfinished, constants.COPYFILE_FICLONE);
  chmodSync(unfinished, OWNER_ONLY); // A copy takes the mode of its source along.
}

/** Those of processes that still run stay. */
function removeLeftovers(prefix: string): void {
  const folder = dirname(prefix);
  const start = basename(prefix);
  for (const name of readdirSync(folder)) {
    const pid = Number(/^(\d+)$/.exec(name.slice(start.length))?.[1]);
    if (name.startsWith(start) && pid > 0 && !isRunning(pid)) remove(join(folder, name));
  }
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function remove(path: string): void {
  for (const suffix of COMPANIONS) if (existsSync(path + suffix)) unlinkSync(path + suffix);
}

/** A new name is durable only when its folder is. */
function sync(path: string): void {
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

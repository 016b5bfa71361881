import { statSync } from "node:fs";

/** A file as a process has opened it: one that is put in its place later is another. */
export interface OpenedFile {
  readonly path: string;
  readonly ino: number;
  readonly dev: number;
}

/** The files of an open database. */
export interface OpenedFiles {
  readonly database: OpenedFile;
  /** The write-ahead log. Commits are in it first, so without it the next crash loses what was answered for. */
  readonly log: OpenedFile;
  /**
   * The index of the log, `-shm`, through which processes lock each other out. Another process makes a new
   * one where it is missing, and then both write at once.
   */
  readonly index: OpenedFile;
}

/** The files of the database at `path`, which is open. */
export const openedFiles = (path: string): OpenedFiles => ({
  database: openedAt(path),
  log: openedAt(`${path}-wal`),
  index: openedAt(`${path}-shm`),
});

function openedAt(path: string): OpenedFile {
  const { ino, dev } = statSync(path);
  return { path, ino, dev };
}

/** Whether a file is still where it was opened. Throws the system's error where nobody can say. */
export function isThere({ path, ino, dev }: OpenedFile): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.ino === ino && found.dev === dev;
}

/** The first of the files that is no longer where it was opened; undefined while all are. Throws like `isThere`. */
export const missingOf = (files: OpenedFiles): keyof OpenedFiles | undefined =>
  (["database", "log", "index"] as const).find((name) => !isThere(files[name]));

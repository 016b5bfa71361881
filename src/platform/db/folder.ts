import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** A folder that can be nowhere: its name is wrong, and nothing that is done again helps. */
export class NoFolder extends Error {
  constructor(path: string, parent: string) {
    super(`The folder ${path} cannot be made: nothing can be made in ${parent}. Name another one.`);
    this.name = "NoFolder";
  }
}

/**
 * Makes a folder, and those above it, for their owner alone; one that is there stays as it is. Throws
 * NoFolder where the system has no folders to make, as below /proc: Node's own `recursive` takes that
 * for a missing parent, and tries again for ever.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "EEXIST") return; // Another process was first.
    throw code === "ENOENT" ? new NoFolder(path, parent) : error;
  }
}

/**
 * Writes a new file in the place of whatever has its name: a link that somebody has put there is removed and never
 * followed. Durable when it returns, but for its name; when it throws nothing is left of it.
 */
export function writeAnew(path: string, bytes: Uint8Array | string, mode: number): void {
  rmSync(path, { force: true });
  const opened = openSync(path, "wx", mode);
  try {
    const all = Buffer.from(bytes);
    for (let at = 0; at < all.length; ) at += writeSync(opened, all, at);
    fsyncSync(opened);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(opened);
  }
}

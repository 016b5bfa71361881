import { randomUUID } from "node:crypto";
import { readFileSync, renameSync } from "node:fs";
import { open, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder, writeAnew } from "../../platform/db/folder.ts";
import { Stop, USAGE } from "../command/stop.ts";

const OWNER_ONLY = 0o600;
const TOKEN = /^sk_[0-9a-f]{48}$/;

/** The token that a file holds, or null when there is no such file. A Stop when it holds none. */
export function readToken(file: string): string | null {
  const token = contentOf(file)?.trim() ?? null;
  if (token === null || TOKEN.test(token)) return token;
  throw new Stop(USAGE, `${file} holds no token. Move it away to register anew.`);
}

/** The text of a file, or null when there is none. A Stop when it cannot be read. */
export function contentOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isNodeError(error) && error.code === "ENOENT") return null;
    throw new Stop(USAGE, `${file} cannot be read.`, error);
  }
}

/** Keeps the token of what `make` resolves to in a new file. */
export function keepToken<T extends { readonly token: string }>(
  file: string,
  make: () => Promise<T>,
): Promise<T> {
  makeFolder(dirname(file));
  return keepIn(file, make, ({ token }) => token);
}

/**
 * Keeps a secret of what `make` resolves to in a new file that only its owner may read. The file is made first: a
 * secret that cannot be kept is not asked for. An existing file is left alone; rejects with EEXIST.
 */
export async function keepIn<T>(
  file: string,
  make: () => Promise<T>,
  secretOf: (made: T) => string,
): Promise<T> {
  const handle = await open(file, "wx", OWNER_ONLY);
  try {
    const made = await make();
    await handle.writeFile(`${secretOf(made)}\n`);
    await handle.sync();
    return made;
  } catch (error) {
    await unlink(file);
    throw error;
  } finally {
    await handle.close();
  }
}

/** Writes a file that only its owner may read; a reader sees the old text or the new one, also after a crash. */
export function replaceFile(file: string, text: string): void {
  const next = `${file}.${randomUUID()}`; // Processes of one agent write at once.
  writeAnew(next, `${text}\n`, OWNER_ONLY);
  renameSync(next, file);
}

export const isNodeError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "code" in error;

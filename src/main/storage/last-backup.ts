import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Seconds } from "../../kernel/time.ts";

const OWNER_ONLY = 0o600;

const shape = z.object({ at: z.int(), file: z.string() });

/** Where `cairn backup` notes its last copy: `at` in seconds, and the path of the copy. */
const noteIn = (dataDir: string): string => join(dataDir, "last-backup.json");

/** The last copy that `cairn backup` made; null before the first, or when the note cannot be read. */
export function lastBackup(dataDir: string): z.output<typeof shape> | null {
  try {
    return shape.parse(JSON.parse(readFileSync(noteIn(dataDir), "utf8")));
  } catch {
    return null;
  }
}

/** Notes a copy that was made and checked. */
export function noteBackup(dataDir: string, copy: { readonly at: Seconds; readonly file: string }) {
  const unfinished = `${noteIn(dataDir)}.unfinished`;
  writeFileSync(unfinished, `${JSON.stringify(copy)}\n`, { mode: OWNER_ONLY });
  renameSync(unfinished, noteIn(dataDir));
}

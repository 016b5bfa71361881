import { renameSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { writeAnew } from "../../platform/db/folder.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { textOf } from "./memory-file.ts";

const OWNER_ONLY = 0o600;

const shape = z.object({ at: z.int(), file: z.string() });

/** Where `cairn backup` notes its last copy: `at` in seconds, and the path of the copy. */
const noteIn = (dataDir: string): string => join(dataDir, "last-backup.json");

/** The last copy that `cairn backup` made; null before the first, or when the note is damaged. */
export function lastBackup(dataDir: string): z.output<typeof shape> | null {
  const text = textOf(noteIn(dataDir));
  try {
    return text === null ? null : shape.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Notes a copy that was made and checked. */
export function noteBackup(dataDir: string, copy: { readonly at: Seconds; readonly file: string }) {
  const unfinished = `${noteIn(dataDir)}.unfinished`;
  writeAnew(unfinished, `${JSON.stringify(copy)}\n`, OWNER_ONLY);
  renameSync(unfinished, noteIn(dataDir));
}

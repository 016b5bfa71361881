import { renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { writeAnew } from "../../platform/db/folder.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { isNothingAt } from "../running/trusted-file.ts";
import { textOf } from "../storage/memory-file.ts";
import { logFiles } from "./log-key.ts";
import { signerFiles } from "./operator-key.ts";

const OWNER_ONLY = 0o600;

const shape = z.object({ at: z.int(), file: z.string() });

/** What a folder was made of that only rehearses a restore: `at` in seconds, and the path of the backup. */
export interface Rehearsal {
  readonly at: Seconds;
  readonly file: string;
}

const markIn = (dataDir: string): string => join(dataDir, "rehearsal.json");

/** Null for the folder of a network. Throws a sentence where the mark cannot be read: it never counts as missing. */
export function rehearsalIn(dataDir: string): Rehearsal | null {
  const text = textOf(markIn(dataDir));
  try {
    return text === null ? null : shape.parse(JSON.parse(text));
  } catch (error) {
    const sentence = `${markIn(dataDir)} marks a rehearsal and is damaged. Delete this folder, and restore the backup anew.`;
    throw new Error(sentence, { cause: error });
  }
}

/** From now on a service that starts in this folder reads only. */
export const markRehearsal = (dataDir: string, rehearsal: Rehearsal): void =>
  writeWhole(markIn(dataDir), rehearsal);

/** A real restore makes the folder that of a network. */
export const unmarkRehearsal = (dataDir: string): void => rmSync(markIn(dataDir), { force: true });

/** Throws a sentence where a folder has what signs: a rehearsal signs nothing, so it needs none of it. */
export function demandNoKeys(dataDir: string): void {
  const files = { dataDir, signingKeyFile: null, logKeyFile: null };
  const own = [signerFiles(files), logFiles(files)].flatMap((each) => Object.values(each));
  const found = own.find((file) => !isNothingAt(file));
  if (found === undefined) return;
  throw new Error(
    `A rehearsal signs nothing, and ${found} is there. Rehearse in a folder of its own.`,
  );
}

/** Beside the backups, because the folder of a rehearsal goes away. */
const noteBeside = (backup: string): string => join(dirname(backup), "last-rehearsal.json");

/** Notes beside a backup that it was brought back, and that its chain verifies. */
export const noteRehearsal = (rehearsal: Rehearsal): void =>
  writeWhole(noteBeside(rehearsal.file), rehearsal);

/** The last rehearsal of a backup in the folder of this one; null before the first, or when the note is damaged. */
export function lastRehearsal(backup: string): Rehearsal | null {
  try {
    const text = textOf(noteBeside(backup));
    return text === null ? null : shape.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function writeWhole(path: string, rehearsal: Rehearsal): void {
  const unfinished = `${path}.unfinished`;
  writeAnew(unfinished, `${JSON.stringify(rehearsal)}\n`, OWNER_ONLY);
  renameSync(unfinished, path);
}

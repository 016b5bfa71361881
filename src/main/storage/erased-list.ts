import { appendFileSync, closeSync, fsyncSync, openSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { textOf } from "./memory-file.ts";

const OWNER_ONLY = 0o600;

const line = z.object({ kind: z.string(), ref: z.string() });

/** The kind and ref of the entry of a text. */
export type ErasedName = z.output<typeof line>;

/** The list that lies beside the database: a backup from before an erasure brings the text back. */
export const erasedListIn = (dataDir: string): string => join(dataDir, "erased.ndjson");

/** All names of the list. Throws a sentence where a line of it cannot be read. */
export function readErased(dataDir: string): ErasedName[] {
  const path = erasedListIn(dataDir);
  const lines = (textOf(path) ?? "").split("\n");
  return lines.flatMap((text, i) => {
    if (text === "") return [];
    try {
      return [line.parse(JSON.parse(text))];
    } catch {
      throw new Error(`Line ${i + 1} of ${path} names no erased text.`);
    }
  });
}

/** Adds names, durably. */
export function noteErased(dataDir: string, names: readonly ErasedName[]): void {
  if (names.length === 0) return;
  const path = erasedListIn(dataDir);
  const text = names.map(({ kind, ref }) => `${JSON.stringify({ kind, ref })}\n`).join("");
  appendFileSync(path, text, { mode: OWNER_ONLY });
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

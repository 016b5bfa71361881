import type { Db } from "../../platform/db/engine.ts";
import { startOf } from "../../platform/kernel/text.ts";
import { ITEM_LENGTH_MAX } from "../../platform/kernel/words/bounds.ts";
import { inflated } from "../repositories/files/deflating.ts";
import { smallContents } from "../repositories/files/queries.ts";
import { textIn } from "../repositories/files/reading.ts";
import { slices } from "../repositories/files/slices.ts";
import type { StoredEntry } from "./items.ts";

/** Larger files are data, and more than a commit's first ones say nothing new of it. */
const FILE_MAX_BYTES = 64 * 1024;
const FILES_MAX = 20;

const CHARACTERS_PER_PIECE = 500;

/**
 * The texts of the files that commits brought, by ledger id, as far as their words count. Files that are no UTF-8
 * are left out. One commit is read after the other, in slices, so that few files are in memory.
 */
export async function fileTexts(
  read: Db,
  entries: readonly StoredEntry[],
): Promise<ReadonlyMap<number, string>> {
  const texts = new Map<number, string>();
  const step = slices();
  for (const { ledger_id, kind, ref } of entries) {
    if (kind !== "repo_commit") continue;
    const of = { commit_id: Number(ref), bytes_max: FILE_MAX_BYTES, limit: FILES_MAX };
    let text = "";
    for (const { deflated } of await smallContents.all(read, of)) {
      if (text.length >= ITEM_LENGTH_MAX) break;
      const file = textIn(await inflated(deflated)) ?? ""; // An image, or a text of another encoding.
      text += file.includes("\u0000") ? "" : ` ${file}`;
    }
    texts.set(ledger_id, startOf(text, ITEM_LENGTH_MAX));
    await step(FILES_MAX + text.length / CHARACTERS_PER_PIECE);
  }
  return texts;
}

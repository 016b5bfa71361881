import type * as z from "zod";
import type { Context } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import type { Rejects } from "../../../platform/kernel/contract/errors.ts";
import {
  boundOf,
  PROSE_CHARACTER_MAX_BYTES,
  type Step,
} from "../../../platform/kernel/contract/page.ts";
import { entryById } from "../../../platform/ledger/entry-queries.ts";
import { sealOfEntry } from "../../../platform/ledger/queries.ts";
import type { views } from "../contract.ts";
import { linkOf } from "../links.ts";
import { type Texts, textsOf } from "../texts/texts.ts";

/** An entry that has its place in the ledger. */
export interface PlacedEntry {
  readonly ledger_id: number;
  readonly kind: string;
  readonly ref: string;
  readonly at: number;
  readonly body: string;
  readonly entry?: string;
  readonly leaf?: Uint8Array;
}

export type Entry = z.output<typeof views.since.output>["entries"][number];

/** An entry's numbers and all names of its fields; its leaf, too, where that was asked for. */
const FRAME_MAX_BYTES = 160;
const LEAF_MAX_BYTES = 90;

/** Entries as `/since` shows them, with the text that was hashed, and its leaf, where that was asked for. */
export async function show(read: Db, entries: readonly PlacedEntry[]): Promise<Step<Entry>> {
  const texts = await textsOf(read, entries);
  let bound_bytes = 0;
  const items = entries.map(({ ledger_id, kind, ref, at, body, entry, leaf }) => {
    const text = texts.get(ledger_id) ?? {};
    // All but the texts is ASCII; every other character of a sealed text may be a quotation mark.
    bound_bytes += FRAME_MAX_BYTES + kind.length + ref.length + body.length + boundOfTexts(text);
    if (entry !== undefined) bound_bytes += LEAF_MAX_BYTES + 2 * entry.length;
    return {
      id: ledger_id,
      kind,
      ref,
      at,
      body: JSON.parse(body),
      text,
      ...(entry === undefined ? {} : { entry, leaf: leaf?.toHex() }),
    };
  });
  return { items, bound_bytes };
}

function boundOfTexts(texts: Texts): number {
  let bytes = 0;
  for (const text of Object.values(texts)) bytes += boundOf(text, PROSE_CHARACTER_MAX_BYTES);
  return bytes;
}

/** One entry, as `/since` shows it with its sealed text. Rejects with `entry_not_found`. */
export async function showEntry(
  { snapshot, reject }: Pick<Context, "snapshot"> & Rejects<"entry_not_found">,
  { id }: z.output<typeof views.entry.input>,
): Promise<z.output<typeof views.entry.output>> {
  return snapshot(async (read) => {
    const [row, seal] = await Promise.all([
      entryById.first(read, { ledger_id: id }),
      sealOfEntry.first(read, { ledger_id: id }),
    ]);
    const { items } = await show(read, row === undefined ? [] : [row]);
    const [entry] = items;
    if (entry === undefined)
      return reject("entry_not_found", "The ledger has no entry with this id yet.");
    const { kind, ref } = entry;
    const proof = `/api/v1/seal/proof?kind=${kind}&id=${encodeURIComponent(ref)}`;
    return {
      entry,
      sealed_in: seal?.seq ?? null,
      proof,
      link: linkOf({ kind, ref, ledger_id: id }),
    };
  });
}

import type { Tx } from "../db/engine.ts";
import { bodyText, type EntryBody, KIND, REF } from "../kernel/entry.ts";

/** A body as a writer has it: what is `undefined` is left out. */
type Fields = Readonly<Record<string, string | number | undefined>>;

/**
 * Adds an entry to the write that `tx` is, in the order of the calls. It is stored with the write
 * or not at all, and gets its id afterwards, so no answer can contain one. `(kind, ref)` is unique
 * over the whole ledger, for ever (docs/reference/ledger.md). Throws a RangeError on what
 * no entry may hold, because sequencing must never fail on an entry.
 */
export function append(tx: Tx, kind: string, ref: string | number, fields: Fields): void {
  const name = String(ref);
  if (!KIND.test(kind) || !REF.test(name))
    throw new RangeError(`No entry can be a ${kind} ${name}.`);
  const body: Record<string, EntryBody[string]> = {};
  for (const [field, value] of Object.entries(fields)) if (value !== undefined) body[field] = value;
  tx.entries.push({ kind, ref: name, body: bodyText(body) });
}

import type { PendingEntry, Tx } from "../db/engine.ts";
import type { Body, EntryKind, Ref, Shape } from "../kernel/contract/entry-kind.ts";
import { bodyText, REF } from "../kernel/proof/entry.ts";
import { pack, unpack } from "../kernel/proof/packed.ts";

/**
 * Adds an entry to the write that `tx` is, in the order of the calls. It is stored with the write
 * or not at all, and gets its id afterwards, so no answer can contain one. Its kind and `ref`
 * together are unique over the whole ledger, for ever (docs/reference/ledger.md). A field that is
 * `undefined` is left out. Throws a RangeError on what no entry may hold, because sequencing must
 * never fail on an entry.
 */
export function append<Pattern extends string, Fields extends Shape>(
  tx: Pick<Tx, "entries">,
  kind: EntryKind<Pattern, Fields>,
  ref: Ref<NoInfer<Pattern>>,
  fields: NoInfer<Body<Fields>>,
): void {
  tx.entries.push(entryOf(kind, String(ref), fields));
}

/** An entry that has no place yet. */
export function entryOf(
  { kind }: Pick<EntryKind, "kind">,
  name: string,
  fields: object,
): PendingEntry {
  if (!REF.test(name)) throw new RangeError(`No entry can be a ${kind} ${name}.`);
  const body: Record<string, string | number> = {};
  const given: Readonly<Record<string, unknown>> = { ...fields };
  for (const field of Object.keys(given).sort()) {
    const value = given[field];
    if (typeof value === "string" || typeof value === "number") body[field] = value;
    else if (value !== undefined) throw new RangeError(`No entry can have this ${field}.`);
  }
  const text = bodyText(body);
  const packed = pack(body);
  if (unpack(packed) !== text) throw new RangeError(`A ${kind} cannot be stored.`);
  return { kind, ref: name, body, text, packed };
}

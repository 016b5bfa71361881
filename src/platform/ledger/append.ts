import type { PendingEntry, Tx } from "../db/engine.ts";
import {
  type Body,
  type Count,
  type EntryKind,
  refIn,
  type Shape,
} from "../kernel/contract/entry-kind.ts";
import { isBodyValue, REF, sortedText } from "../kernel/proof/entry.ts";
import { pack } from "../kernel/proof/packed.ts";

/**
 * Adds an entry to the write that `tx` is, in the order of the calls, and returns its `ref`. That
 * follows from the fields; a count that is no field comes after them: `append(tx, entries.postHidden,
 * { post_id }, n)`. Kind and `ref` together are unique over the whole ledger, for ever
 * (docs/reference/ledger.md). The entry is stored with the write or not at all, and gets its id
 * afterwards, so no answer can contain one. A field that is `undefined` is left out. Throws a
 * RangeError on what no entry may hold, because sequencing must never fail on an entry.
 */
export function append<Pattern extends string, Fields extends Shape>(
  tx: Pick<Tx, "entries">,
  kind: EntryKind<Pattern, Fields>,
  fields: NoInfer<Body<Fields>>,
  ...count: Count<NoInfer<Pattern>, NoInfer<Fields>>
): string {
  const entry = entryOf(kind, fields, ...count);
  tx.entries.push(entry);
  return entry.ref;
}

/** The same of an entry whose name is known; null is none. */
export function appendNamed(
  tx: Pick<Tx, "entries">,
  kind: Pick<EntryKind, "kind" | "fields">,
  ref: string | null,
  body: object,
): string {
  const entry = entryNamed(kind, ref, body);
  tx.entries.push(entry);
  return entry.ref;
}

/** An entry that has no place yet. */
export function entryOf<Pattern extends string, Fields extends Shape>(
  kind: EntryKind<Pattern, Fields>,
  fields: NoInfer<Body<Fields>>,
  ...[n]: Count<NoInfer<Pattern>, NoInfer<Fields>>
): PendingEntry {
  return entryNamed(kind, refIn(kind, fields, n), fields);
}

/**
 * The same with a name that is known; null is none. Checks, sorts and copies the fields in one pass: that what it packs
 * unpacks to the text that is sealed is the property that its test draws bodies for.
 */
export function entryNamed(
  { kind, fields }: Pick<EntryKind, "kind" | "fields">,
  ref: string | null,
  body: object,
): PendingEntry {
  if (ref === null || !REF.test(ref)) throw new RangeError(`No ${kind} can be named ${ref}.`);
  const given: Readonly<Record<string, unknown>> = Object(body);
  for (const name in given)
    if (given[name] !== undefined && !Object.hasOwn(fields, name))
      throw new RangeError(`No ${kind} has a field ${name}.`);
  const held: Record<string, string | number> = {};
  for (const name of sortedNames(fields)) {
    const value = given[name];
    if (value === undefined) continue;
    if (!isBodyValue(value)) throw new RangeError(`No ${kind} can have this ${name}.`);
    held[name] = value;
  }
  return { kind, ref, body: held, text: sortedText(held), packed: pack(held) };
}

const sortedOf = new WeakMap<Shape, readonly string[]>();

/** Made once for each kind: a body is written in this order. */
function sortedNames(fields: Shape): readonly string[] {
  const known = sortedOf.get(fields);
  if (known !== undefined) return known;
  const names = Object.keys(fields).sort();
  sortedOf.set(fields, names);
  return names;
}

/**
 * The source that decides whether a column is right.
 *
 * - `sealed`: an entry has the value, or the hash of the text.
 * - `newly`: the same, in entries of this version; older ones lack the field.
 * - `derived`: a fold over entries, or over columns that are compared.
 * - `timed`: the second of an entry, or up to a minute before it.
 * - `key`: a number by which rows refer to each other; the ledger knows the row by name.
 * - `chain`: the chain itself, which `cairn verify` walks.
 * - `private`: not public, so no entry contains it.
 * - `local`: work in progress, and figures of this service alone.
 */
export type Class =
  | "sealed"
  | "newly"
  | "derived"
  | "timed"
  | "key"
  | "chain"
  | "private"
  | "local";

/** The classes that the audit of a file compares. */
export const DETERMINED: readonly Class[] = ["sealed", "newly", "derived", "timed", "key"];

type Of<Name extends string, Is extends Class> = { readonly [Column in Name]: Is };

const of =
  <Is extends Class>(is: Is) =>
  <Name extends string>(...names: readonly Name[]): Of<Name, Is> =>
    Object.fromEntries(names.map((name) => [name, is])) as Of<Name, Is>;

export const sealed = of("sealed");
export const newly = of("newly");
export const derived = of("derived");
export const timed = of("timed");
export const key = of("key");
export const chain = of("chain");
export const secret = of("private");
export const local = of("local");

import type * as z from "zod";

/** A schema of the contracts, as far as it is looked into. */
export interface Definition {
  readonly innerType?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly element?: z.core.$ZodType;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly values?: readonly unknown[];
}

/** The definitions of which a value follows one. */
export function definitionsOf(schema: {
  readonly _zod: { readonly def: object };
}): readonly Definition[] {
  const def: Definition = schema._zod.def;
  if (def.innerType !== undefined) return definitionsOf(def.innerType);
  return def.options === undefined ? [def] : def.options.flatMap(definitionsOf);
}

/** Those of a field of an object. */
export const ofField = (all: readonly Definition[], name: string): readonly Definition[] =>
  all.flatMap(({ shape }) => {
    const inner = shape !== undefined && Object.hasOwn(shape, name) ? shape[name] : undefined;
    return inner === undefined ? [] : definitionsOf(inner);
  });

/** Those of the items of a list. */
export const ofItems = (all: readonly Definition[]): readonly Definition[] =>
  all.flatMap(({ element }) => (element === undefined ? [] : definitionsOf(element)));

/** The words that a value may be; null where it may be more. */
export function wordsOf(all: readonly Definition[]): readonly unknown[] | null {
  const words = all.map(({ entries, values }) => values ?? (entries && Object.values(entries)));
  return words.length === 0 || words.includes(undefined) ? null : words.flat();
}

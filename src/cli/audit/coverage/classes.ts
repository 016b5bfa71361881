import type { Class } from "../../../ledger/rows/columns.ts";

type Of<Name extends string, Is extends Class> = { readonly [Column in Name]: Is };

const of =
  <Is extends Class>(is: Is) =>
  <Name extends string>(...names: readonly Name[]): Of<Name, Is> =>
    Object.fromEntries(names.map((name) => [name, is])) as Of<Name, Is>;

export const sealed = of("sealed");
export const newly = of("newly");
export const derived = of("derived");
export const timed = of("timed");
export const secret = of("private");
export const local = of("local");

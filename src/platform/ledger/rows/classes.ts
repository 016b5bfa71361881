import type { Class, Column } from "./columns.ts";
import type { AnyKindRows, Change, Effect, Name, TableRows } from "./effects.ts";

/**
 * The class of every column of the tables that these records are of. A column that begins with a value has the class of
 * what later entries set.
 */
export function classesIn(kinds: Readonly<Record<string, AnyKindRows>>): Classes {
  const effects = Object.values(kinds).flatMap((each) => each.effects);
  const later = new Map(effects.flatMap(classesSet));
  const classOf = (of: string, name: string, { from, is }: Column): Class =>
    from === "beginning" && is === "derived" ? (later.get(`${of}.${name}`) ?? is) : is;
  return Object.fromEntries(
    effects.map(({ rows: { table: of, columns } }) => [
      of,
      Object.fromEntries(
        Object.entries<Column>(columns).map(([name, column]) => [name, classOf(of, name, column)]),
      ),
    ]),
  );
}

/** The classes of the columns that a change takes from fields of its entry. */
function classesSet(effect: Effect): readonly (readonly [column: string, is: Class])[] {
  if (effect.does === "make" || typeof effect.set === "function") return [];
  return Object.entries<Change>(effect.set).flatMap(([column, to]) =>
    typeof to === "object" && (to?.from === "field" || to?.from === "text")
      ? [[`${effect.rows.table}.${column}`, to.is] as const]
      : [],
  );
}

/** The class of each column, by table. */
export type Classes = Readonly<Record<string, Readonly<Record<string, Class>>>>;

/** The tables that records are of. */
export type TablesIn<Kinds> = {
  [K in keyof Kinds]: Kinds[K] extends { readonly effects: infer E }
    ? E extends readonly (infer Of)[]
      ? TableOf<Of>
      : never
    : never;
}[keyof Kinds];

/** Nothing of an effect that is not named. */
type TableOf<Of> = Of extends { readonly rows: TableRows<infer T> }
  ? Name extends T
    ? never
    : T
  : never;

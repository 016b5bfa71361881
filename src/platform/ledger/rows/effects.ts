import type { Tables } from "../../db/tables.ts";
import type { EntryKind } from "../../kernel/contract/entry-kind.ts";
import type {
  AgentOf,
  Column,
  Count,
  Field,
  Listed,
  Literal,
  Made,
  Text,
  Time,
  Unsealed,
} from "./columns.ts";

/** The name of a table. */
export type Name = keyof Tables & string;

/** Where each column of a table comes from; one that is left out does not compile. */
type ColumnsOf<T extends Name> = { readonly [C in keyof Tables[T]]: Column };
export type Columns = Readonly<Record<string, Column>>;

/** A table whose rows follow from the ledger, row by row. */
export interface TableRows<
  T extends Name = Name,
  C extends Columns = Columns,
  K extends string = string,
> {
  readonly table: T;
  readonly columns: C;
  /** The columns that name a row. */
  readonly key: readonly K[];
  /** The word before them, as a report names the row. */
  readonly named: string;
  /** The types of the columns of a new row, where many writes insert theirs together. */
  readonly grouped?: Readonly<Record<string, "bigint" | "text">>;
}

/** The record of a table. Without a `key` its rows are named by `id`. */
export const table = <
  T extends Name,
  const C extends ColumnsOf<T>,
  const K extends keyof C & string = "id" & keyof C,
>(
  name: T,
  columns: C,
  more: Partial<Pick<TableRows<T, C, K>, "key" | "named" | "grouped">> = {},
): TableRows<T, C, K> => ({
  table: name,
  columns,
  key: ["id"] as unknown as readonly K[],
  named: name,
  ...more,
});

/** The entry makes a row. */
export interface Making<
  T extends Name = Name,
  C extends Columns = Columns,
  K extends string = string,
> {
  readonly does: "make";
  readonly rows: TableRows<T, C, K>;
  /** Only such entries do; left out: all. */
  readonly when?: (body: FieldsGiven) => boolean;
  /** Where a row has the same values in these columns, which are unique together, no other is made, and no entry. */
  readonly unless?: readonly string[];
  /** A row that is there gets what the entry says, and counts it in its column of that sort. */
  readonly again?: true;
  /** A statement of the writer's own does it: why. */
  readonly own?: string;
}

/** The fields of a body. */
export type FieldsGiven = Readonly<Record<string, string | number | undefined>>;

/** A number to be added to what a column has. */
interface Plus {
  readonly from: "before";
  readonly plus: number;
}

/** The value of a field, unless the column has a higher one. */
interface Highest<F extends string> {
  readonly from: "highest";
  readonly field: F;
}

/** What another column of the row has. */
interface SameAs {
  readonly from: "column";
  readonly column: string;
}

/** The value that a column gets. */
export type Change =
  | Literal
  | Field<string>
  | Text<string>
  | Time
  | Count
  | Made
  | Plus
  | Highest<string>
  | SameAs
  | Unsealed<"writer">;
export type Changes = Readonly<Record<string, Change>>;

/** A condition on the row as it is: that a column has this value, or that of a field, that it has one, or another than it gets. */
export type Only = Readonly<
  Record<string, Literal | typeof GIVEN | typeof OTHER | typeof OVER | Field<string>>
>;

/** A column that is not empty. */
export const GIVEN = Symbol("given");

/** A column that has another value than the one that it gets, or none. */
export const OTHER = Symbol("other");

/** A column with a time that is over in the second of the entry. */
export const OVER = Symbol("over");

/** Which of some changes an entry makes of a row as it was before; null: none. */
export type Choice<S extends Changes = Changes> = (
  body: FieldsGiven,
  before: Readonly<Record<string, unknown>>,
) => S | null;

/** The numbers of rows that an entry lists. */
export const listedIn = (
  { field, or = "" }: Listed<string>,
  body: FieldsGiven,
): readonly number[] => `${body[field] ?? body[or] ?? ""}`.split(",").map(Number);

/** The entry changes a row. */
export interface Changing<
  T extends Name = Name,
  S extends Changes = Changes,
  A extends string = string,
> {
  readonly does: "change";
  readonly rows: TableRows<T>;
  /** Only such entries do; left out: all. */
  readonly when?: (body: FieldsGiven) => boolean;
  /** The fields that name agents by whose numbers the row is found. */
  readonly agents?: A;
  /** A function returns one of a few constants: a statement is made for each. Its writer gives the row as `before`. */
  readonly set: S | Choice<S>;
  /** The fields that name the row, where they are others than those of the entry that made it. */
  readonly key: Readonly<Record<string, Field<string> | AgentOf<string> | Listed<string>>>;
  /** Without it nothing changes, and no entry is written. The rule of the kind says the same. */
  readonly only: Only;
  /** The column with the count in which the name of the entry ends, where `set` does not raise it. */
  readonly counts?: string;
  /** A statement of the writer's own does it: why. */
  readonly own?: string;
}

export type Effect = Making | Changing;

export const makes = <T extends Name, C extends Columns, K extends string>(
  rows: TableRows<T, C, K>,
  how: Pick<Making, "when" | "unless" | "again"> = {},
): Making<T, C, K> => ({ does: "make", rows, ...how });

/** Each column of one table or of several. */
export type EachOf<C> = C extends unknown ? C[keyof C] : never;
/** The fields of an entry that name agents by whose numbers columns refer to them. */
export type AgentFieldsOf<C> =
  EachOf<C> extends infer Col ? (Col extends AgentOf<infer F> ? F : never) : never;

export const changes = <
  T extends Name,
  C extends Columns,
  K extends string,
  const S extends Changes,
  const O extends Changing["key"] = Readonly<Record<never, never>>,
>(
  rows: TableRows<T, C, K>,
  set: (S & { readonly [Col in Exclude<keyof S, keyof C>]: never }) | Choice<S>,
  how: {
    readonly key?: O;
    readonly only?: { readonly [Col in keyof C]?: Only[string] };
    readonly counts?: keyof C & string;
    readonly when?: Changing["when"];
  } = {},
): Changing<T, S, AgentFieldsOf<Omit<Pick<C, K & keyof C>, keyof O> & O>> => {
  const { key = {}, only = {}, counts, when } = how;
  return {
    does: "change",
    rows: rows as unknown as TableRows<T>,
    set,
    key,
    only: only as Only,
    ...(counts !== undefined && { counts }),
    ...(when !== undefined && { when }),
  };
};

/** The writer does this by a statement of its own, and the rest is enacted: why. */
export const ownStatement = <E extends Effect>(own: string, effect: E): E => ({ ...effect, own });

export const plus = (n: number): Plus => ({ from: "before", plus: n });
export const highest = <const F extends string>(field: F): Highest<F> => ({
  from: "highest",
  field,
});
export const sameAs = (column: string): SameAs => ({ from: "column", column });

/** A kind of entry, and all that one does to rows, in this order. */
export interface KindRows<
  K extends EntryKind = EntryKind,
  E extends readonly Effect[] = readonly Effect[],
> {
  readonly entry: K;
  readonly effects: E;
  /** Only `enact` writes it. */
  readonly own?: never;
}

/** No row follows from the entries of a kind, and no figure: why. */
export interface WithoutRows {
  readonly without: string;
}
export const without = (why: string): WithoutRows => ({ without: why });

/** A writer changes rows by statements of its own, beside `append`: why. The audit expects these effects, and its folds. */
export interface OwnStatements<E extends readonly Effect[] = readonly Effect[]> {
  readonly own: string;
  readonly effects: E;
}
export const ownStatements = <const E extends readonly Effect[] = readonly []>(
  why: string,
  effects: E = [] as unknown as E,
): OwnStatements<E> => ({ own: why, effects });

type EffectsOf = readonly Effect[] | WithoutRows | OwnStatements;

/** The kinds of a folder, each with its effects; one that is left out does not compile. */
export const rowsOf = <
  Kinds extends Readonly<Record<string, EntryKind>>,
  const E extends { readonly [K in keyof Kinds]: EffectsOf },
>(
  kinds: Kinds,
  effects: E,
) =>
  Object.fromEntries(
    Object.entries<EntryKind>(kinds).map(([name, entry]) => {
      const of = effects[name] ?? [];
      return [name, "map" in of ? { entry, effects: of } : { entry, effects: [], ...of }];
    }),
  ) as unknown as { readonly [K in keyof Kinds & keyof E]: RecordOf<Kinds[K], E[K]> };

type RecordOf<K extends EntryKind, E> = E extends readonly Effect[]
  ? KindRows<K, E>
  : E extends OwnStatements<infer Expected>
    ? E & { readonly entry: K; readonly effects: Expected }
    : E & { readonly entry: K; readonly effects: readonly [] };

/** The record of any kind. */
export type AnyKindRows = Omit<KindRows, "own"> & {
  readonly own?: string;
  readonly without?: string;
};

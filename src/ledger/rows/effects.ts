import type { Selectable } from "kysely";
import type { Tables } from "../../db/tables.ts";
import type { Body, EntryKind } from "../../kernel/contract/entry-kind.ts";
import type {
  AgentOf,
  Class,
  Column,
  Count,
  Field,
  Folded,
  Id,
  Listed,
  Literal,
  Made,
  Text,
  Time,
  Unsealed,
} from "./columns.ts";

type Name = keyof Tables & string;

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
  ...{ table: name, columns, key: ["id"] as unknown as readonly K[], named: name },
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

/** A column that has another value than the one that it gets. */
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
  ...{ from: "highest", field },
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

// The types of `given`, which name every field and text that no record supplies.

type ColumnsMade<E> = E extends Making<Name, infer C> ? C : never;
/** Each column of one table or of several. */
type EachOf<C> = C extends unknown ? C[keyof C] : never;
type TextFieldsOf<C> =
  EachOf<C> extends infer Col ? (Col extends Text<infer F> ? F : never) : never;
type IdFieldsOf<C> = EachOf<C> extends infer Col ? (Col extends Id<infer F> ? F : never) : never;
type AgentFieldsOf<C> =
  EachOf<C> extends infer Col ? (Col extends AgentOf<infer F> ? F : never) : never;

/** What an effect asks for under the names of its columns. */
type TextsOf<C, B> = {
  readonly [K in keyof C as IsOfText<C[K], B> extends "required" ? K : never]: string | null;
} & {
  readonly [K in keyof C as IsOfText<C[K], B> extends "optional" ? K : never]?:
    | string
    | null
    | undefined;
};
type IsOfText<Col, B> =
  Col extends Text<infer F>
    ? F extends keyof B
      ? undefined extends B[F]
        ? "optional"
        : "required"
      : "optional"
    : "none";
type UnsealedOf<T extends Name, C> = {
  readonly [K in keyof C as C[K] extends Unsealed<"writer"> | Made
    ? K
    : never]: K extends keyof Selectable<Tables[T]> ? Selectable<Tables[T]>[K] : never;
};
type WrittenOf<T extends Name, C> = {
  readonly [K in keyof C as C[K] extends Made | Folded ? K : never]?: K extends keyof Selectable<
    Tables[T]
  >
    ? Selectable<Tables[T]>[K]
    : never;
};
type GivenBy<E, B> =
  E extends Making<infer T, infer C>
    ? TextsOf<C, B> & UnsealedOf<T, C> & WrittenOf<T, C>
    : E extends Changing<infer T, infer S, string>
      ? TextsOf<S, B> & UnsealedOf<T, S> & WrittenOf<T, S>
      : never;

type Together<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void
  ? I
  : never;
type Flat<T> = { [K in keyof T]: T[K] };

/** The row of an agent by both its names. */
export interface AgentRef {
  readonly id: number;
  readonly agent_id: string;
}

/** What a field is given as: an optional one may be null. */
type OrNull<T> = { readonly [K in keyof T]: undefined extends T[K] ? T[K] | null : T[K] };

type Each<E> = E extends readonly (infer Of)[] ? Of : never;
type SetsOf<E> = E extends Changing<Name, infer S, string> ? S : never;
type Told<E> = TextFieldsOf<ColumnsMade<E>> | TextFieldsOf<SetsOf<E>> | IdFieldsOf<ColumnsMade<E>>;
type Drawn<E> = { readonly [F in IdFieldsOf<ColumnsMade<E>>]?: number };
type Agents<E> =
  | AgentFieldsOf<ColumnsMade<E>>
  | (E extends Changing<Name, Changes, infer A> ? A : never);

/** The count in the name of the entry, where no row has it; the row as it was, where a change depends on it. */
interface More<E> {
  readonly n?: number;
  /** Null: the entry does not say when it was made, where its kind leaves that open. */
  readonly made_at?: null;
  readonly before?: E extends Changing<infer T, Changes, string>
    ? Readonly<Partial<Selectable<Tables[T]>>>
    : never;
}

/** What a writer gives for an entry and its rows: fields by their names, texts and unsealed columns by theirs. */
export type Given<K extends EntryKind, E> =
  K extends EntryKind<string, infer Fields>
    ? Flat<
        OrNull<Omit<Body<Fields>, Told<Each<E>> | Agents<Each<E>> | "made_at">> & {
          readonly [F in Agents<Each<E>>]: F extends keyof Body<Fields>
            ? undefined extends Body<Fields>[F]
              ? AgentRef | null
              : AgentRef
            : never;
        } & Together<GivenBy<Each<E>, Body<Fields>>> &
          Drawn<Each<E>> &
          More<Each<E>>
      >
    : never;

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
    ? Each<E> extends infer Of
      ? Of extends { readonly rows: TableRows<infer T> }
        ? Name extends T
          ? never // No effect is named.
          : T
        : never
      : never
    : never;
}[keyof Kinds];

import { sql } from "kysely";
import type { Db, Tx } from "../../platform/db/engine.ts";
import { type Prepared, preparedRead, preparedWrite } from "../../platform/db/prepared.ts";
import type { Tables } from "../../platform/db/tables.ts";
import type { EntryKind } from "../../platform/kernel/contract/entry-kind.ts";
import type { Seconds } from "../../platform/kernel/time.ts";

/** Texts by their columns; null where there is none. */
export type TextsOf = Readonly<Record<string, string | null>>;

/** The parts of a `ref`, by the names that its pattern gives them. */
export type Parts = Readonly<Record<string, string>>;

/** One text's removal or return, as a folder's own tables may have to follow it. */
export interface Change {
  readonly parts: Parts;
  readonly from: TextsOf;
  readonly to: TextsOf;
  readonly at: Seconds;
}

/**
 * Prepares what other rows must follow a text, and runs the write with a function that brings them to it, in its
 * transaction. The write may run again, where the rows have changed meanwhile.
 */
export type Around = <T>(
  read: Db,
  change: Pick<Change, "parts" | "to">,
  write: (follow: (tx: Tx) => Promise<unknown>) => Promise<T>,
) => Promise<T>;

interface Shape<T extends keyof Tables & string> {
  readonly kind: EntryKind;
  readonly table: T;
  /** The row: a column, and the part of the `ref` that it equals. `agent` is looked up by its agent_id. */
  readonly row: { readonly [C in keyof Tables[T] & string]?: string };
  /** A condition in SQL beside these: that the row still shows the entry's own text. */
  readonly while?: string;
  /** Each column with a text of the entry, and what stands there without it. */
  readonly texts: { readonly [C in keyof Tables[T] & string]?: string | null };
  /** The column that says that the thing is hidden, where its own command does that. */
  readonly hiddenBy?: keyof Tables[T] & string;
  /** Brings the folder's other rows to it. */
  follow?(tx: Tx, change: Change): Promise<void>;
  /** The same where it takes long: it is prepared before the write. */
  readonly around?: Around;
  /** Why it cannot be erased yet, in a sentence; null when nothing speaks against it. */
  keeps?(read: Db, parts: Parts): Promise<string | null>;
  /** Ends what nobody can go on with once its text is erased. */
  end?(tx: Tx, parts: Parts, at: Seconds): Promise<unknown>;
}

/** How the texts of one kind of entry go, and come back. */
export interface Removable {
  /** Of entries; contents of files have no entry of their own. */
  readonly kind: Pick<EntryKind, "kind" | "ref">;
  readonly table: string;
  readonly row: Readonly<Record<string, string>>;
  readonly texts: TextsOf;
  /** Another command hides things of this kind: `post hide`. */
  readonly hidesItself: boolean;
  /** Its texts, and when it was hidden by that command; undefined when there is no such thing. */
  find(read: Db, parts: Parts): Promise<TextsOf | undefined>;
  isHidden(read: Db, parts: Parts): Promise<boolean>;
  put(tx: Tx, change: Change): Promise<void>;
  /** The agent_id of the author, where no entry of the kind names it. */
  authorOf?(read: Db, parts: Parts): Promise<string | undefined>;
  readonly follow?: Shape<never>["follow"];
  readonly around?: Around;
  readonly keeps?: Shape<never>["keeps"];
  readonly end?: Shape<never>["end"];
}

type Given = Readonly<Record<string, string | number | null>>;

/** The parts as the columns have them: what is no name of an agent is a number. */
const valuesOf = (row: Readonly<Record<string, string>>, parts: Parts): Given =>
  Object.fromEntries(
    Object.values(row).map((name) => [
      name,
      isAgent(name) ? (parts[name] ?? "") : Number(parts[name]),
    ]),
  );

const isAgent = (name: string): boolean => name === "agent";

const named = (texts: TextsOf): Given =>
  Object.fromEntries(Object.entries(texts).map(([column, text]) => [`to_${column}`, text]));

/** The record of a kind whose texts the operator can take away. */
export function removable<T extends keyof Tables & string>(shape: Shape<T>): Removable {
  const { kind, table, hiddenBy } = shape;
  const row = compact<string>(shape.row);
  const texts = compact<string | null>(shape.texts);
  const names = Object.keys(texts);
  const rows = (given: Given) => {
    const own = Object.entries(row).map(([column, name]) =>
      isAgent(name)
        ? sql`${sql.ref(column)} = (select id from agent where agent_id = ${given[name]})`
        : sql`${sql.ref(column)} = ${given[name]}`,
    );
    const also = shape.while === undefined ? [] : [sql.raw(shape.while)];
    return sql.join([...own, ...also], sql` and `);
  };
  const read: Prepared<Given, Db, TextsOf> = preparedRead(
    (_, given: Given) =>
      sql`select ${sql.join(names.map((name) => sql.ref(name)))} from ${sql.table(table)} where ${rows(given)}`,
  );
  const hidden: Prepared<Given, Db, unknown> = preparedRead(
    (_, given: Given) =>
      sql`select 1 as one from ${sql.table(table)} where ${rows(given)} and ${sql.ref(hiddenBy ?? "id")} is not null`,
  );
  const write: Prepared<Given, Tx, unknown> = preparedWrite((_, given: Given) => {
    const set = names.map((name) => sql`${sql.ref(name)} = ${given[`to_${name}`]}`);
    return sql`update ${sql.table(table)} set ${sql.join(set)} where ${rows(given)}`;
  });
  return {
    kind,
    table,
    row,
    texts,
    hidesItself: hiddenBy !== undefined,
    ...(shape.follow && { follow: shape.follow }),
    ...(shape.around && { around: shape.around }),
    ...(shape.keeps && { keeps: shape.keeps }),
    ...(shape.end && { end: shape.end }),
    find: (db, parts) => read.first(db, valuesOf(row, parts)),
    isHidden: async (db, parts) =>
      hiddenBy !== undefined && (await hidden.first(db, valuesOf(row, parts))) !== undefined,
    async put(tx, { parts, to }) {
      await write.run(tx, { ...valuesOf(row, parts), ...named(to) });
    },
  };
}

/** An object without what its type allows to be undefined. */
function compact<V>(fields: Partial<Readonly<Record<string, V>>>): Readonly<Record<string, V>> {
  const kept: Record<string, V> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept[name] = value;
  return kept;
}

const formOf = (name: string): RegExp =>
  name === "content" ? /^[0-9a-f]{64}$/ : /^[1-9][0-9]{0,15}$/;

/** The parts of a `ref` by the names of its kind's pattern; null where it has another form. */
export function partsOf({ ref: pattern }: Pick<EntryKind, "ref">, ref: string): Parts | null {
  const names = pattern.split("/").map((part) => part.slice(1, -1));
  const values = ref.split("/");
  if (values.length !== names.length) return null;
  const parts = Object.fromEntries(names.map((name, i) => [name, values[i] ?? ""]));
  const isWhole = names.every((name) => isAgent(name) || formOf(name).test(parts[name] ?? ""));
  return isWhole ? parts : null;
}

import type { LedgerEntry } from "../../../domains/entries.ts";
import type { EntryBody } from "../../kernel/proof/entry.ts";
import { sha256IfAny } from "../sha256.ts";

/** An entry as folds read it. */
export interface Entry {
  readonly id: number;
  readonly at: number;
  readonly kind: string;
  readonly ref: string;
  readonly body: EntryBody;
}

type FieldOf<E> = E extends { readonly body: infer B } ? keyof B & string : never;
/** A field of some kind of entry: a misspelt one would be read as 0 or as empty. */
type Field = FieldOf<LedgerEntry>;

/** A number of a body; 0 where the entry has none. */
export const numberIn = ({ body }: Pick<Entry, "body">, field: Field): number =>
  Number(body[field] ?? 0);

/** A text of a body; empty where the entry has none. */
export const textIn = ({ body }: Pick<Entry, "body">, field: Field): string =>
  String(body[field] ?? "");

/** The count in which the name of an entry ends. */
export const countIn = ({ ref }: Pick<Entry, "ref">): number =>
  Number(ref.slice(ref.lastIndexOf("/") + 1));

/** A stored row: numbers and texts by column; bytes are base64url. */
export type Row = Readonly<Record<string, string | number | null>>;

/** The agent whose row has a number; the ledger knows it by its name alone. */
export type AgentOf = (number: Value) => string;

export type Value = string | number | bigint | null | undefined;

/** Figures of a stored row, by the columns that they come from. */
export type Figures = Readonly<Record<string, Value>>;

/** A time that a row has, taken from its entry, which may be a little later. */
interface Near {
  readonly near: number;
}

/** A figure that no entry tells. */
export const UNSEALED = Symbol("not sealed");

/** The value of one figure that follows from the ledger. */
export type Told = Value | Near | typeof UNSEALED;

/** The values of a row that follow from it. */
export type Made = Readonly<Record<string, Told>>;

let latest: Near = { near: 0 };

/** The second of an entry; one that has no id yet has none. Rows of one second share it. */
export function near(at: number): Told {
  if (Number.isNaN(at)) return UNSEALED;
  if (latest.near !== at) latest = { near: at };
  return latest;
}

/** The name of an agent whose row has the number in a column; nothing where that is empty. */
export const agentIn = (row: Row, column: string, agentOf: AgentOf): Value =>
  row[column] === null ? null : agentOf(row[column]);

/** The SHA-256 of a text; nothing where there is none. */
export const hashIn = (row: Row, column: string): string | undefined =>
  sha256IfAny(row[column] == null ? null : `${row[column]}`);

/** Some columns of a stored row. */
export const columns = (row: Row, ...names: readonly string[]): Figures =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

/** Rows of a table, each with a number that is its id. */
export const rowName = (table: string, id: Value): string => `${table} ${id}`;

/** The seconds by which a row may be older than its entry. */
export const CLOCK_SLACK_S = 60;

import type { Tx } from "../../db/engine.ts";
import { type EntryKind, refIn } from "../../kernel/contract/entry-kind.ts";
import type { Seconds } from "../../kernel/time.ts";
import { appendNamed } from "../append.ts";
import { sha256IfAny } from "../sha256.ts";
import type { Column } from "./columns.ts";
import type { AgentRef, Change, Changing, Effect, Given, KindRows, Making } from "./effects.ts";
import {
  type AnyTx,
  given,
  insertingOf,
  keyed,
  updatingOf,
  type Values,
  writable,
} from "./statements.ts";

/** An entry and its rows while they are written. */
interface Writing {
  readonly of: KindRows;
  readonly given: Readonly<Values>;
  /** The fields so far: the number of a row comes with the row. */
  readonly body: Record<string, string | number | undefined>;
  readonly at: Seconds;
  id: number;
  n: number | undefined;
  ref: string | null;
}

/** An entry that was written. */
export interface Enacted {
  readonly ref: string;
  /** The number of the row that the entry made; 0 where it made none with a number. */
  readonly id: number;
  /** The count in which the name of the entry ends; 0 where it has none. */
  readonly n: number;
}

/**
 * Writes an entry, and all that one of its kind does to rows. Resolves to undefined, and writes neither, where the
 * condition of the first effect does not hold. `at` is the second in which it is made. A write that only inserts
 * takes kinds that only make rows. Throws a RangeError on what no entry may hold.
 */
export async function enact<K extends EntryKind, E extends readonly Effect[]>(
  tx: AnyTx,
  of: KindRows<K, E>,
  values: Given<K, E>,
  at: Seconds,
): Promise<Enacted | undefined> {
  const writing = begun(of, values, at);
  for (const [i, effect] of of.effects.entries()) {
    const isDone =
      effect.does === "make" ? await make(tx, effect, writing) : await change(tx, effect, writing);
    if (!isDone && i === 0) return undefined;
  }
  return { ref: refOf(tx, writing), id: writing.id, n: writing.n ?? 0 };
}

/** The same of an entry that nothing speaks against. */
export async function enactSurely<K extends EntryKind, E extends readonly Effect[]>(
  tx: AnyTx,
  of: KindRows<K, E>,
  values: Given<K, E>,
  at: Seconds,
): Promise<Enacted> {
  const made = await enact(tx, of, values, at);
  if (made === undefined) throw new Error(`A row that ${of.entry.kind} changes is not there.`);
  return made;
}

type Reader = (given: Readonly<Values>, at: Seconds) => unknown;

const readers = new WeakMap<KindRows, readonly (readonly [field: string, read: Reader])[]>();

function begun(of: KindRows, values: object, at: Seconds): Writing {
  const all: Readonly<Values> = { ...values };
  const fields = readers.get(of) ?? readersOf(of);
  readers.set(of, fields);
  const body: Writing["body"] = {};
  for (const [name, read] of fields) {
    const value = read(all, at);
    if (typeof value === "string" || typeof value === "number") body[name] = value;
  }
  const { n } = all;
  const count = typeof n === "number" ? n : undefined;
  return { of, given: all, body, at, id: 0, n: count, ref: null };
}

/** Made once for each kind: from what each field of an entry is taken. */
function readersOf({ entry, effects }: KindRows) {
  const sources = new Map<string, Reader>();
  for (const [column, source] of effects.flatMap(sourcesIn))
    if (typeof source === "object" && source !== null && "field" in source)
      sources.set(source.field, readerOf(column, source));
  return Object.keys(entry.fields).map((name) => {
    const own: Reader = name === "made_at" ? (_, at) => at : (all) => all[name];
    return [name, sources.get(name) ?? own] as const;
  });
}

function sourcesIn(effect: Effect): readonly (readonly [column: string, Column | Change])[] {
  if (effect.does === "make") return Object.entries<Column>(effect.rows.columns);
  const { set } = effect;
  return [...keyOf(effect), ...(typeof set === "function" ? [] : Object.entries<Change>(set))];
}

function readerOf(
  column: string,
  source: Exclude<Column | Change, string | number | null>,
): Reader {
  if (!("field" in source)) return () => undefined;
  const { from, field } = source;
  if (from === "text") return (all) => sha256IfAny(textIn(all, column));
  if (from === "agent") return (all) => agentIn(all, field)?.agent_id;
  if (from !== "field" || source.or === undefined) return (all) => all[field];
  return (all) => (all[field] === source.or ? undefined : all[field]);
}

const textIn = (all: Readonly<Values>, column: string) => all[column] as string | null | undefined;
const agentIn = (all: Readonly<Values>, field: string) => all[field] as AgentRef | null | undefined;

/** Appends the entry when the first row asks for its name, and in the end at the latest. */
function refOf(tx: Pick<Tx, "entries">, writing: Writing): string {
  const { of, body, n } = writing;
  writing.ref ??= appendNamed(tx, of.entry, refIn(of.entry, body, n), body);
  return writing.ref;
}

async function make(tx: AnyTx, effect: Making, writing: Writing): Promise<boolean> {
  const { rows, when } = effect;
  if (when?.(writing.body) === false) return true;
  const row: Values = {};
  for (const [name, column] of Object.entries(rows.columns)) {
    const value = cellOf(name, column, writing, tx);
    if (value !== undefined) row[name] = value;
  }
  const made = await insertingOf(effect)(tx, row);
  if (made === undefined) return false;
  writing.n = made.n ?? writing.n;
  const drawn = rows.columns["id"];
  if (drawn?.from === "id" && made.id !== undefined) {
    writing.id = made.id;
    writing.body[drawn.field] = made.id;
  }
  return true;
}

/** The value of a column of a new row; undefined where the storage fills it. */
function cellOf(name: string, column: Column, writing: Writing, tx: AnyTx): unknown {
  const { given: all, body, at, n, of } = writing;
  switch (column.from) {
    case "field":
      return body[column.field] ?? column.or ?? null;
    case "id":
      return body[column.field];
    case "agent":
      return agentIn(all, column.field)?.id ?? null;
    case "text":
    case "entry":
      return all[name] ?? null;
    case "time":
      return at;
    case "kind":
      return of.entry.kind;
    case "ref":
      return refOf(tx, writing);
    case "count":
      return n ?? 1;
    case "beginning":
      return column.isDefault ? undefined : column.value;
    case "nowhere":
      return column.by === "writer" ? (all[name] ?? null) : undefined;
    default:
      return undefined;
  }
}

/** Whether there was such a row, and its condition held. An entry without the field that names the row changes none. */
async function change(tx: AnyTx, effect: Changing, writing: Writing): Promise<boolean> {
  const { given: all, body, at } = writing;
  const set = chosen(effect, writing);
  if (set === null) return true;
  const values: Values = {};
  for (const [column, source] of keyOf(effect)) {
    const value = source.from === "agent" ? agentIn(all, source.field)?.id : body[source.field];
    if (value === undefined) return true;
    values[keyed(column)] = value;
  }
  for (const [column, to] of Object.entries(set)) {
    if (typeof to !== "object" || to === null) continue;
    if (to.from === "field" || to.from === "highest")
      values[given(column)] = body[to.field] ?? null;
    if (to.from === "text") values[given(column)] = all[column] ?? null;
    if (to.from === "time") values[given(column)] = at;
  }
  const changed = await updatingOf(effect, set)(writable(tx), values);
  if (changed === undefined) return false;
  writing.n = changed.n ?? writing.n;
  return true;
}

function chosen({ set, rows }: Changing, { given: all, body }: Writing) {
  if (typeof set !== "function") return set;
  const { before } = all;
  if (typeof before !== "object" || before === null)
    throw new Error(`A change of ${rows.table} needs the row as it was.`);
  return set(body, before as Readonly<Values>);
}

/** The fields that name the row that an entry changes. */
function keyOf({ rows, key }: Changing) {
  return rows.key.map((column) => {
    const own = key[column] ?? rows.columns[column];
    if (own === undefined || !("field" in own))
      throw new Error(`No field names the ${column} of a row of ${rows.table}.`);
    return [column, own] as const;
  });
}

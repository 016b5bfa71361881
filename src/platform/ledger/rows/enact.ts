import type { GroupTx } from "../../db/engine.ts";
import { type Body, type EntryKind, refIn } from "../../kernel/contract/entry-kind.ts";
import type { Seconds } from "../../kernel/time.ts";
import { appendNamed } from "../append.ts";
import { sha256IfAny } from "../sha256.ts";
import type { Column, Listed, Made } from "./columns.ts";
import {
  type Change,
  type Changes,
  type Changing,
  type Effect,
  type KindRows,
  listedIn,
  type Making,
  OVER,
} from "./effects.ts";
import type { AgentRef, Given } from "./given.ts";
import {
  given,
  insertingOf,
  keyed,
  required,
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
 * condition of the first effect does not hold; where that is one on several rows, the caller then rejects, which undoes
 * the write. `at` is the second in which it is made. A grouped write takes kinds that only make rows. Rejects
 * when the row of a later effect is not there, and with a RangeError on what no entry may hold.
 */
export async function enact<K extends EntryKind, E extends readonly Effect[]>(
  tx: GroupTx,
  of: KindRows<K, E>,
  values: Given<K, E>,
  at: Seconds,
): Promise<Enacted | undefined> {
  return written(tx, begun(of, values, at));
}

/** The same of an entry that nothing speaks against. */
export async function enactSurely<K extends EntryKind, E extends readonly Effect[]>(
  tx: GroupTx,
  of: KindRows<K, E>,
  values: Given<K, E>,
  at: Seconds,
): Promise<Enacted> {
  return prepare(of, values, at).enact(tx);
}

/** An entry that nothing speaks against, ahead of its write. */
export interface Prepared<K extends EntryKind> {
  /** The fields as they will be sealed; those that the storage draws are not there yet. */
  readonly body: Partial<Body<K["fields"]>>;
  enact(tx: GroupTx): Promise<Enacted>;
}

/** The same for a writer that reads the fields before it writes them. */
export function prepare<K extends EntryKind, E extends readonly Effect[]>(
  of: KindRows<K, E>,
  values: Given<K, E>,
  at: Seconds,
): Prepared<K> {
  const writing = begun(of, values, at);
  return {
    body: writing.body as Partial<Body<K["fields"]>>,
    async enact(tx) {
      const made = await written(tx, writing);
      if (made === undefined) throw missing(writing);
      return made;
    },
  };
}

async function written(tx: GroupTx, writing: Writing): Promise<Enacted | undefined> {
  for (const [i, step] of planOf(writing.of).steps.entries()) {
    const isDone =
      step.does === "make" ? await make(tx, step, writing) : await change(tx, step, writing);
    if (isDone) continue;
    if (i === 0) return undefined;
    throw missing(writing);
  }
  return { ref: refOf(tx, writing), id: writing.id, n: writing.n ?? 0 };
}

const missing = ({ of }: Pick<Writing, "of">) =>
  new Error(`${of.entry.kind} changes a row that is not there.`);

type Reader = (given: Readonly<Values>, at: Seconds) => unknown;
type Seals = NonNullable<Made["seals"]>;

/** The second of the writer, unless that says that it leaves the field out. */
const madeAt: Reader = (all, at) => (all["made_at"] === null ? undefined : at);

/** All that follows from the records of a kind, made once: each write asks for it. */
interface Plan {
  /** From what each field of the entry is taken. */
  readonly fields: readonly (readonly [field: string, read: Reader])[];
  /** The fields that some columns seal together. */
  readonly seals: readonly Seals[];
  readonly steps: readonly (MakingStep | ChangingStep)[];
}

interface MakingStep {
  readonly does: "make";
  readonly when: Making["when"];
  readonly cells: readonly (readonly [column: string, from: Column])[];
  readonly insert: ReturnType<typeof insertingOf>;
  /** The field with the number that the storage draws. */
  readonly drawn: string | undefined;
}

interface ChangingStep {
  readonly does: "change";
  readonly effect: Changing;
  readonly keys: ReturnType<typeof keyOf>;
}

const plans = new WeakMap<KindRows, Plan>();

const planOf = (of: KindRows): Plan => plans.get(of) ?? newPlan(of);

function newPlan(of: KindRows): Plan {
  const { entry, effects } = of;
  const sources = new Map<string, Reader>();
  const seals: Seals[] = [];
  for (const [column, source] of effects.flatMap(sourcesIn)) {
    if (typeof source !== "object" || source === null) continue;
    if ("field" in source) sources.set(source.field, readerOf(column, source));
    if (source.from === "entry" && source.seals !== undefined) seals.push(source.seals);
  }
  const fields = Object.keys(entry.fields).map((name) => {
    const own: Reader = name === "made_at" ? madeAt : (all) => all[name];
    return [name, sources.get(name) ?? own] as const;
  });
  const enacted = effects.filter(({ own }) => own === undefined);
  const plan = { fields, seals, steps: enacted.map(stepOf) };
  plans.set(of, plan);
  return plan;
}

function stepOf(effect: Effect): Plan["steps"][number] {
  if (effect.does === "change") return { does: "change", effect, keys: keyOf(effect) };
  const { columns } = effect.rows;
  const drawn = columns["id"]?.from === "id" ? columns["id"].field : undefined;
  const cells = Object.entries<Column>(columns).filter(([, column]) => isWritten(column));
  return { does: "make", when: effect.when, cells, insert: insertingOf(effect), drawn };
}

/** Whether a writer says a column of a new row; the storage fills the others. */
const isWritten = (column: Column): boolean =>
  column.from !== "number" &&
  !(column.from === "beginning" && column.isDefault) &&
  !(column.from === "nowhere" && column.by === "later");

function begun(of: KindRows, values: object, at: Seconds): Writing {
  const { fields, seals } = planOf(of);
  const all = values as Readonly<Values>;
  const body: Writing["body"] = {};
  for (const [name, read] of fields) {
    const value = read(all, at);
    if (typeof value === "string" || typeof value === "number") body[name] = value;
  }
  for (const fieldsOf of seals) Object.assign(body, fieldsOf(all));
  const isCount = typeof all["n"] === "number" && !Object.hasOwn(of.entry.fields, "n");
  const n = isCount ? Number(all["n"]) : undefined;
  return { of, given: all, body, at, id: 0, n, ref: null };
}

type Source = Column | Change | Listed<string>;

function sourcesIn(effect: Effect): readonly (readonly [column: string, Source])[] {
  if (effect.does === "make") return Object.entries<Column>(effect.rows.columns);
  const { set } = effect;
  return [...keyOf(effect), ...(typeof set === "function" ? [] : Object.entries<Change>(set))];
}

function readerOf(column: string, source: Exclude<Source, string | number | null>): Reader {
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
function refOf(tx: Pick<GroupTx, "entries">, writing: Writing): string {
  const { of, body, n } = writing;
  writing.ref ??= appendNamed(tx, of.entry, refIn(of.entry, body, n), body);
  return writing.ref;
}

async function make(tx: GroupTx, step: MakingStep, writing: Writing): Promise<boolean> {
  const { when, cells, insert, drawn } = step;
  const { body } = writing;
  if (when?.(body) === false) return true;
  const row: Values = {};
  for (const [name, column] of cells) row[name] = cellOf(name, column, writing, tx);
  const made = await insert(tx, row);
  if (made === undefined) return false;
  writing.n = made.n ?? writing.n;
  if (made.id !== undefined) writing.id = made.id;
  if (drawn !== undefined && made.id !== undefined) body[drawn] = made.id;
  return true;
}

/** The value of a column of a new row; undefined where the storage fills it. */
function cellOf(name: string, column: Column, writing: Writing, tx: GroupTx): unknown {
  const { given: all, body, at, n, of } = writing;
  switch (column.from) {
    case "field":
      return body[column.field] ?? column.or ?? null;
    case "id":
      return body[column.field];
    case "agent":
      return agentIn(all, column.field)?.id ?? null;
    case "time":
      return at;
    case "kind":
      return of.entry.kind;
    case "ref":
      return refOf(tx, writing);
    case "count":
      return n ?? 1;
    case "beginning":
      return column.value;
    case "fold":
      return all[name];
    default:
      return all[name] ?? null;
  }
}

/** Whether there was such a row, and its condition held. An entry without the field that names the row changes none. */
async function change(
  tx: GroupTx,
  { effect, keys }: ChangingStep,
  writing: Writing,
): Promise<boolean> {
  if (effect.when?.(writing.body) === false) return true;
  const set = chosen(effect, writing);
  if (set === null) return true;
  const rows = keysIn(keys, writing);
  if (rows.length === 0) return true;
  const own = valuesOf(effect, set, writing);
  for (const key of rows) {
    const changed = await updatingOf(effect, set)(writable(tx), { ...key, ...own });
    if (changed === undefined) return isHighest(set);
    writing.n = changed.n ?? writing.n;
  }
  return true;
}

/** The keys of the rows that an entry changes: none where it lacks a field of the key. */
function keysIn(keys: ChangingStep["keys"], { given: all, body }: Writing): readonly Values[] {
  const own: Values = {};
  let listed: readonly [column: string, values: readonly number[]] | null = null;
  for (const [column, source] of keys) {
    if (source.from === "list") listed = [column, listedIn(source, body)];
    else {
      const value = source.from === "agent" ? agentIn(all, source.field)?.id : body[source.field];
      if (value === undefined) return [];
      own[keyed(column)] = value;
    }
  }
  if (listed === null) return [own];
  const [column, values] = listed;
  return values.map((value) => ({ ...own, [keyed(column)]: value }));
}

/** What the statement of a change gets beside the key of its row. */
function valuesOf({ only }: Changing, set: Changes, { given: all, body, at }: Writing): Values {
  const values: Values = {};
  for (const [column, to] of Object.entries(set)) {
    if (typeof to !== "object" || to === null) continue;
    if (to.from === "field" || to.from === "highest")
      values[given(column)] = body[to.field] ?? null;
    if (to.from === "text" || to.from === "entry" || to.from === "nowhere")
      values[given(column)] = all[column] ?? null;
    if (to.from === "time") values[given(column)] = at;
  }
  for (const [column, is] of Object.entries(only)) {
    if (is === OVER) values[required(column)] = at;
    if (typeof is === "object" && is !== null) values[required(column)] = body[is.field] ?? null;
  }
  return values;
}

/** A row that has a higher number stays as it is. */
const isHighest = (set: Changes): boolean =>
  Object.values(set).some((to) => typeof to === "object" && to?.from === "highest");

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

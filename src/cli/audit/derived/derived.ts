import type { Entry } from "../entry.ts";
import type { Books } from "../replay.ts";

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

/** A field that an older entry lacks. */
export const UNSEALED = Symbol("not sealed then");

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

/** A table whose rows follow from the ledger. */
export interface DerivedTable {
  readonly table: string;
  /** Rows of the ledger's head are kept by the sequencing; others also hold what has no id yet. */
  readonly stands: "at_head" | "at_commit";
  /** The name of a stored row and its figures; null when they count nothing. */
  stored(row: Row, agentOf: AgentOf): readonly [name: string, figures: Figures | null];
  /** Other tables whose rows contain more than their entries; these are compared themselves. */
  readonly beside?: Readonly<Record<string, (row: Row, agentOf: AgentOf) => void>>;
  /** Told of every entry, after the books, which have it already. */
  add?(entry: Entry, books: Books): void;
  /** Whether `made` needs the stored rows; where tables stand beside, it does. The others are compared row by row. */
  readonly rowsFirst?: true;
  /** The rows that the ledger makes, as the caller's own: it may take out each that it has met. */
  made(books: Books): Rows<Made | null>;
  /** One of them, where single rows are asked for; undefined when the ledger makes none of this name. */
  row?(name: string, books: Books): Made | undefined;
  /** The columns with a text of which a row of `row` has the SHA-256. */
  readonly texts?: readonly string[];
  /** Tells from now on of each row that an entry changes, by its name. */
  watch?(told: (name: string) => void): void;
}

/** Rows by their names: as much of a Map as they need. */
export interface Rows<Each> extends Iterable<[name: string, row: Each]> {
  get(name: string): Each | undefined;
  set(name: string, row: Each): unknown;
  delete(name: string): unknown;
}

/** Rows, and somebody who is told of each that changes. */
export function watchedRows<Each = Made>(rows: Rows<Each> = new Map()) {
  let tell: (name: string) => void = () => {};
  const put = rows.set.bind(rows);
  rows.set = (name, row) => {
    tell(name);
    put(name, row);
  };
  return {
    rows,
    watch(told: (name: string) => void): void {
      tell = told;
    },
  };
}

/** Some columns of a stored row. */
export const columns = (row: Row, ...names: readonly string[]): Figures =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

/** Rows of a table, each with a number that is its id. */
export const rowName = (table: string, id: Value): string => `${table} ${id}`;

/** The seconds by which a row may be older than its entry. */
export const CLOCK_SLACK_S = 60;

/** Whether a stored figure is what the ledger makes it. */
export function isMade(stored: Value, made: Told, slack_s: number): boolean {
  if (made === UNSEALED) return true;
  if (typeof made === "object" && made !== null)
    return typeof stored === "number" && Math.abs(made.near - stored) <= slack_s;
  return text(stored) === text(made);
}

const text = (value: Value): string => `${value ?? "-"}`;

/** Figures of a row, as one text. */
export const shown = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${text(value)}`)
    .join(", ");

/** What the ledger makes of a row, as one text; what agrees is shown as it is stored. */
export const shownMade = (made: Made, stored: Figures | null, slack_s: number): string =>
  Object.keys({ ...stored, ...made })
    .map((name) => `${name} ${shownFigure(made[name], stored?.[name], slack_s)}`)
    .join(", ");

function shownFigure(made: Told, stored: Value, slack_s: number): string {
  if (isMade(stored, made, slack_s)) return text(stored);
  if (typeof made === "symbol") return "-";
  return typeof made === "object" && made !== null ? `about ${made.near}` : text(made);
}

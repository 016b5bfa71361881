import { TABLE_CLASSES } from "../../../domains/rows.ts";
import { listsByAgent } from "../../../platform/db/sqlite/copy.ts";
import type { Class } from "../../../platform/ledger/rows/columns.ts";
import type { Rows } from "../../../platform/ledger/rows/fold.ts";
import {
  type AgentOf,
  CLOCK_SLACK_S,
  type Made,
  type Row,
  type Figures as Stored,
  UNSEALED,
} from "../../../platform/ledger/rows/told.ts";
import { isDatabaseFile } from "../../command/lines.ts";
import { messageOf, Stop, UNREADABLE } from "../../command/stop.ts";
import type { Claims, NotCompared } from "../claims.ts";
import { type Compared, type Group, NAMED_MAX, tableGroup } from "../figures.ts";
import type { Books } from "../replay.ts";
import type { ComparedTable } from "./every-table.ts";
import { isMade, shown, shownMade } from "./shown.ts";
import { storedRows, UNSEQUENCED, waitingEntry } from "./stored.ts";

const WHY: Readonly<Partial<Record<Class, string>>> = {
  private: "not public, so no entry contains it",
  local: "work in progress, and figures of this service alone",
};

/** The columns that no entry contains, by table. */
const NOT_COMPARED: readonly NotCompared[] = Object.entries(TABLE_CLASSES).flatMap(
  ([table, columns]) =>
    Object.entries(WHY).flatMap(([is, why]) => {
      const names = Object.entries<Class>(columns).flatMap(([name, of]) =>
        of === is ? [name] : [],
      );
      return names.length === 0 ? [] : [{ what: `${table}: ${names.join(", ")}`, why }];
    }),
);

/** What a database file or an export holds in some tables beside its ledger, row by row. */
export function fileClaims(path: string, tables: readonly ComparedTable[]): Claims {
  return {
    whole: (source) => source,
    see(entry, books) {
      for (const table of tables) table.add?.(entry, books);
    },
    async compared(books) {
      const groups = await compareRows(path, tables, books).catch((error: unknown) => {
        if (error instanceof Stop) throw error;
        throw new Stop(UNREADABLE, `${path} cannot be read: ${messageOf(error)}.`, error);
      });
      const lists = (await isDatabaseFile(path)) ? listsByAgent(path).map(listGroup) : [];
      return {
        groups: [...groups, ...lists],
        notCompared: NOT_COMPARED,
        drawn: null,
      };
    },
    close() {},
  };
}

/** The list of what each agent has written, by which its own page finds it: as many rows as the table, and the same. */
const listGroup = ({ view, rows, listed, both }: ReturnType<typeof listsByAgent>[number]): Group =>
  tableGroup(view, [
    { name: "rows", claimed: String(listed), recomputed: String(rows) },
    { name: "rows of its table", claimed: String(both), recomputed: String(rows) },
  ]);

type Named = ReturnType<ComparedTable["stored"]>;

/** The rows of one table while they are compared with those that the ledger makes. */
interface Comparing {
  row(row: Row, agentOf: AgentOf): void;
  /** After the last row: those that were not met are missing. */
  group(): Group;
}

/** Stored rows against those that the ledger makes, of which each leaves memory when it was met. */
function comparison(table: string, made: Rows<Made | null>) {
  const figures: Compared[] = [];
  let [compared, unequal, older] = [0, 0, 0];

  function compare(name: string, row: Stored | null, expected: Made | null): void {
    compared++;
    older += Object.values(expected ?? {}).filter(isUnsealed).length;
    if (row !== null && expected !== null && agrees(row, expected)) return;
    unequal++;
    if (figures.length === NAMED_MAX) return;
    const claimed = row === null ? null : shown(row);
    const recomputed = expected === null ? null : shownMade(expected, row, CLOCK_SLACK_S);
    figures.push({ name, claimed, recomputed });
  }

  return {
    met([name, own]: Named): void {
      if (own === null) return;
      compare(name, own, made.get(name) ?? null);
      made.delete(name); // A second row of this name is one too many.
    },
    group(): Group {
      for (const [name, expected] of made) if (expected !== null) compare(name, null, expected);
      return { name: table, compared, unequal, figures, untold: [], older };
    },
  };
}

/** Compares each row when it is read. */
function streamed({ table, stored }: ComparedTable, made: Rows<Made | null>): Comparing {
  const { met, group } = comparison(table, made);
  return { row: (row, agentOf) => met(stored(row, agentOf)), group };
}

/** Compares after the last row, where the ledger makes rows only when all stored ones are known. */
function collected({ table, stored, made }: ComparedTable, books: Books): Comparing {
  const rows: Named[] = [];
  return {
    row: (row, agentOf) => void rows.push(stored(row, agentOf)),
    group() {
      const { met, group } = comparison(table, made(books));
      for (const each of rows) met(each);
      return group();
    },
  };
}

const isUnsealed = (value: Made[string]): boolean => value === UNSEALED;

const agrees = (row: Stored, made: Made): boolean =>
  Object.keys(row).every((column) => isMade(row[column], made[column], CLOCK_SLACK_S)) &&
  Object.keys(made).every(
    (column) => column in row || isMade(undefined, made[column], CLOCK_SLACK_S),
  );

const AGENTS = "agent";

/** Every table's rows against the ledger's, those as of its head before the entries that have no id yet. */
async function compareRows(path: string, tables: readonly ComparedTable[], books: Books) {
  const waiting = await waitingIn(path);
  const begin = (table: ComparedTable): Comparing => {
    if (table.rowsFirst === true || table.beside !== undefined) return collected(table, books);
    const made = table.made(books);
    // Entries that wait change these rows afterwards; the copy stays as of the head.
    const isChanging = waiting.length > 0 && table.stands === "at_head";
    return streamed(table, isChanging ? new Map(made) : made);
  };
  const begun = (stands: ComparedTable["stands"]) =>
    tables.filter((each) => each.stands === stands).map((each) => [each, begin(each)] as const);
  const atHead = begun("at_head");
  for (const entry of waiting) {
    const next = { ...entry, id: books.lastId() + 1, at: books.lastAt() };
    books.add(next);
    for (const table of tables) table.add?.({ ...next, at: Number.NaN }, books);
  }
  const all = new Map([...atHead, ...begun("at_commit")]);
  await readRows(path, all, books);
  return [...all.values()].map((each) => each.group());
}

async function waitingIn(path: string) {
  const waiting: ReturnType<typeof waitingEntry>[] = [];
  for await (const { row } of storedRows(path, new Set([UNSEQUENCED])))
    waiting.push(waitingEntry(row));
  return waiting;
}

async function readRows(path: string, all: ReadonlyMap<ComparedTable, Comparing>, books: Books) {
  const compared = Map.groupBy(all, ([{ table }]) => table);
  const watchers = [...all.keys()].flatMap(({ beside }) => Object.entries(beside ?? {}));
  const beside = Map.groupBy(watchers, ([table]) => table);
  const agents = new Map<string, string>(); // Read before every table that refers to theirs.
  const agentOf: AgentOf = (number) => agents.get(String(number)) ?? `the unknown ${number}`;
  const wanted = new Set([...compared.keys(), ...beside.keys(), AGENTS]);
  for await (const { table, row } of storedRows(path, wanted)) {
    if (table === AGENTS) agents.set(String(row["id"]), String(row["agent_id"]));
    if (row["currency"] != null && row["txid"] != null) books.transfers.learn(`${row["txid"]}`);
    for (const [, see] of beside.get(table) ?? []) see(row, agentOf);
    for (const [, each] of compared.get(table) ?? []) each.row(row, agentOf);
  }
}

import { listsByAgent } from "../../db/sqlite/copy.ts";
import { isDatabaseFile } from "../command/lines.ts";
import { messageOf, Stop, UNREADABLE } from "../command/stop.ts";
import type { Claims, NotCompared } from "./claims.ts";
import type { Class } from "./coverage/classes.ts";
import { COVERAGE } from "./coverage/columns.ts";
import {
  type AgentOf,
  CLOCK_SLACK_S,
  type DerivedTable,
  isMade,
  type Made,
  type Figures as Stored,
  shown,
  shownMade,
  UNSEALED,
} from "./derived/derived.ts";
import { type Compared, type Group, tableGroup } from "./figures.ts";
import type { Books } from "./replay.ts";
import { storedRows, UNSEQUENCED, waitingEntry } from "./stored.ts";

const WHY: Readonly<Partial<Record<Class, string>>> = {
  private: "not public, so no entry contains it",
  local: "work in progress, and figures of this service alone",
};

/** The columns that no entry contains, by table. */
const NOT_COMPARED: readonly NotCompared[] = Object.entries(COVERAGE).flatMap(([table, columns]) =>
  Object.entries(WHY).flatMap(([is, why]) => {
    const names = Object.entries<Class>(columns).flatMap(([name, of]) => (of === is ? [name] : []));
    return names.length === 0 ? [] : [{ what: `${table}: ${names.join(", ")}`, why }];
  }),
);

/** What a database file or an export holds in some tables beside its ledger, row by row. */
export function fileClaims(path: string, tables: readonly DerivedTable[]): Claims {
  return {
    whole: (source) => source,
    see(entry, books) {
      for (const table of tables) table.add?.(entry, books);
    },
    async compared(books) {
      const { stored, waiting } = await read(path, tables, books).catch((error: unknown) => {
        if (error instanceof Stop) throw error;
        throw new Stop(UNREADABLE, `${path} cannot be read: ${messageOf(error)}.`, error);
      });
      const group = (stands: DerivedTable["stands"]): Group[] =>
        tables
          .filter((table) => table.stands === stands)
          .map((table) => groupOf(table, stored.get(table) ?? new Map(), books));
      const atHead = group("at_head");
      for (const entry of waiting) {
        const next = { ...entry, id: books.lastId() + 1, at: books.lastAt() };
        books.add(next);
        for (const table of tables) table.add?.({ ...next, at: Number.NaN }, books);
      }
      const lists = (await isDatabaseFile(path)) ? listsByAgent(path).map(listGroup) : [];
      const groups = [...atHead, ...group("at_commit"), ...lists];
      return { groups, notCompared: NOT_COMPARED, newerKinds: new Map(), drawn: null };
    },
  };
}

/** The list of what each agent has written, by which its own page finds it: as many rows as the table, and the same. */
const listGroup = ({ view, rows, listed, both }: ReturnType<typeof listsByAgent>[number]): Group =>
  tableGroup(view, [
    { name: "rows", claimed: String(listed), recomputed: String(rows) },
    { name: "rows of its table", claimed: String(both), recomputed: String(rows) },
  ]);

type Rows = ReadonlyMap<string, Stored>;

function groupOf({ table, made }: DerivedTable, stored: Rows, books: Books): Group {
  const rows = new Map([...made(books)].filter(([, figures]) => figures !== null));
  const compared = [...new Set([...rows.keys(), ...stored.keys()])].map((name) =>
    comparedRow(name, stored.get(name) ?? null, rows.get(name) ?? null),
  );
  const untold = rows.values().map((made) => Object.values(made ?? {}).filter(isUnsealed).length);
  return { ...tableGroup(table, compared), older: untold.reduce((sum, n) => sum + n, 0) };
}

const isUnsealed = (value: Made[string]): boolean => value === UNSEALED;

function comparedRow(name: string, stored: Stored | null, made: Made | null): Compared {
  const claimed = stored === null ? null : shown(stored);
  if (made === null) return { name, claimed, recomputed: null };
  const isEqual =
    stored !== null &&
    Object.keys({ ...stored, ...made }).every((column) =>
      isMade(stored[column], made[column], CLOCK_SLACK_S),
    );
  const recomputed = isEqual ? claimed : shownMade(made, stored, CLOCK_SLACK_S);
  return { name, claimed, recomputed };
}

const AGENTS = "agent";

/** The stored figures by table and row, and the entries that have no id yet. */
async function read(path: string, tables: readonly DerivedTable[], books: Books) {
  const kept = Map.groupBy(tables, ({ table }) => table);
  const watchers = tables.flatMap(({ beside }) => Object.entries(beside ?? {}));
  const stored = new Map(tables.map((table) => [table, new Map<string, Stored>()]));
  const waiting: ReturnType<typeof waitingEntry>[] = [];
  const agents = new Map<string, string>(); // Read before every table that refers to theirs.
  const agentOf: AgentOf = (number) => agents.get(String(number)) ?? `the unknown ${number}`;
  const wanted = new Set([...kept.keys(), ...watchers.map(([table]) => table), UNSEQUENCED]);
  for await (const { table, row } of storedRows(path, wanted)) {
    if (table === AGENTS) agents.set(String(row["id"]), String(row["agent_id"]));
    if (table === UNSEQUENCED) waiting.push(waitingEntry(row));
    if (row["currency"] != null && row["txid"] != null) books.transfers.learn(`${row["txid"]}`);
    for (const [watched, see] of watchers) if (watched === table) see(row, agentOf);
    for (const each of kept.get(table) ?? []) {
      const [name, figures] = each.stored(row, agentOf);
      const rows = stored.get(each);
      // A second row of the same name is one too many.
      if (figures !== null) rows?.set(rows.has(name) ? `${name} again` : name, figures);
    }
  }
  return { stored, waiting };
}

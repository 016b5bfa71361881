import { messageOf, Stop, UNREADABLE } from "../stop.ts";
import type { Books } from "./books.ts";
import type { Claims } from "./claims.ts";
import { compare, type Figures, type Group, tableGroup } from "./figures.ts";
import type { AgentOf, KeptTable } from "./kept.ts";
import { coinTables } from "./kept-coin.ts";
import { countTables } from "./kept-counts.ts";
import { bookTables } from "./kept-market.ts";
import { orderTables } from "./kept-orders.ts";
import { purgedTables } from "./kept-purged.ts";
import { transferTables } from "./kept-transfers.ts";
import { worksTables } from "./kept-works.ts";
import { storedRows, UNSEQUENCED, waitingEntry } from "./stored.ts";

/** What a database file or an export holds beside its ledger, row by row. */
export function fileClaims(path: string): Claims {
  const tables = [
    ...coinTables(),
    ...countTables(),
    ...worksTables(),
    ...purgedTables(),
    ...bookTables(),
    ...orderTables(),
    ...transferTables(),
  ];
  return {
    whole: (source) => source,
    see(entry) {
      for (const table of tables) table.add?.(entry);
    },
    async groups(books) {
      const { stored, waiting } = await read(path, tables, books).catch((error: unknown) => {
        if (error instanceof Stop) throw error;
        throw new Stop(UNREADABLE, `${path} cannot be read: ${messageOf(error)}.`, error);
      });
      const group = (stands: KeptTable["stands"]): Group[] =>
        tables
          .filter((table) => table.stands === stands)
          .map((table) => groupOf(table, stored.get(table.table) ?? new Map(), books));
      const atHead = group("at_head");
      for (const entry of waiting) {
        const next = { ...entry, id: books.lastId() + 1, at: books.lastAt() };
        books.add(next);
        for (const table of tables) table.add?.(next);
      }
      return [...atHead, ...group("at_commit")];
    },
  };
}

function groupOf({ table, made }: KeptTable, stored: Figures, books: Books): Group {
  const rows = new Map([...made(books)].filter(([, figures]) => figures !== ""));
  return tableGroup(table, compare(stored, rows));
}

const AGENTS = "agent";

/** The stored figures by table and row, and the entries that have no id yet. */
async function read(path: string, tables: readonly KeptTable[], books: Books) {
  const kept = new Map(tables.map((table) => [table.table, table]));
  const stored = new Map(tables.map(({ table }) => [table, new Map<string, string>()]));
  const waiting: ReturnType<typeof waitingEntry>[] = [];
  const agents = new Map<string, string>(); // Read before every table that refers to theirs.
  const agentOf: AgentOf = (number) => agents.get(String(number)) ?? `the unknown ${number}`;
  for await (const { table, row } of storedRows(path, new Set([...kept.keys(), UNSEQUENCED]))) {
    if (table === AGENTS) agents.set(String(row["id"]), String(row["agent_id"]));
    if (table === UNSEQUENCED) waiting.push(waitingEntry(row));
    if (row["currency"] === "other" && row["txid"] != null) books.transfers.learn(`${row["txid"]}`);
    const [name, figures] = kept.get(table)?.stored(row, agentOf) ?? ["", ""];
    if (figures !== "") stored.get(table)?.set(name, figures);
  }
  return { stored, waiting };
}

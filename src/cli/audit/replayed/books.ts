import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordProjector } from "../../../domains/claims/record.ts";
import { postingOf } from "../../../domains/coin/postings.ts";
import { coinProjector } from "../../../domains/coin/projector.ts";
import { countsProjector } from "../../../domains/counters/counts.ts";
import { threadProjector } from "../../../domains/feed/threads.ts";
import { topicProjector } from "../../../domains/feed/topics.ts";
import { marketProjector } from "../../../domains/market/accounts/projector.ts";
import { entryStore, type WholeEntry } from "../../../platform/db/entry-packing.ts";
import { txOver } from "../../../platform/db/transaction.ts";
import { rulesAfter } from "../../../platform/ledger/sequencing/fence.ts";
import type { EntryRecord } from "../../../verify/shapes.ts";
import type { Books } from "../replay.ts";
import { everyTable } from "../rows/every-table.ts";
import { type Cells, cellsOf } from "./cells.ts";
import { type Filled, filledDatabase } from "./filling.ts";

/** The projectors of tables that answers are made of; the others change rows that entries make. */
const PROJECTORS = [
  threadProjector,
  topicProjector,
  recordProjector,
  countsProjector,
  coinProjector,
  marketProjector,
];

/** Entries after which the rows that they changed are stored. */
const BATCH = 1_000;

const HASH_BYTES = 32;

/** Most entries are of this kind, and no answer that is compared is made of them. */
const MOST = "post";

/** A row that changed, as it is to be stored. */
interface Changed {
  readonly table: string;
  readonly cells: Cells;
}

/**
 * What the entries so far make, as rows of two databases in a folder that is gone in the end. Tables at the
 * ledger's head are made by the service's own projectors, the others by the records of what entries do to rows.
 */
export async function replayedBooks(books: Books) {
  const folder = mkdtempSync(join(tmpdir(), "cairn-audit-"));
  const fillings = [
    await filledDatabase(join(folder, "first.db"), 0),
    await filledDatabase(join(folder, "second.db"), 1),
  ] as const;
  const stores = fillings.map(storeOf);
  const rows = changedRows(books);
  let waiting: EntryRecord[] = [];

  async function settle(): Promise<void> {
    const placed = waiting.map(({ id: ledger_id, at, kind, ref, body }) => ({
      ledger_id,
      at,
      kind,
      ref,
      body,
      leaf: new Uint8Array(HASH_BYTES),
    }));
    waiting = [];
    const changed = rows.take();
    for (const store of stores) await store(changed, placed);
  }

  return {
    fillings,
    /** Stores what changed since the last time. */
    settle,

    /** Told of every entry, after the books. */
    async add(entry: EntryRecord): Promise<void> {
      rows.add(entry);
      waiting.push(entry);
      if (waiting.length >= BATCH) await settle();
    },

    close(): void {
      for (const filling of fillings) filling.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type ReplayedBooks = Awaited<ReturnType<typeof replayedBooks>>;

/** Follows which rows entries change. */
function changedRows(books: Books) {
  const tables = everyTable().flatMap((table) => {
    const { row, watch } = table;
    if (row === undefined || watch === undefined) return [];
    const names = new Set<string>();
    watch((name) => names.add(name));
    return [{ ...table, row, names }];
  });
  const holders = new Set<string>();

  return {
    add(entry: EntryRecord): void {
      for (const table of tables) table.add?.(entry, books);
      for (const agent of postingOf(entry)?.agents ?? []) holders.add(agent);
    },

    /** The rows that changed since the last time. */
    take(): readonly Changed[] {
      const changed: Changed[] = tables.flatMap((table) =>
        [...table.names].flatMap((name) => {
          const made = table.row(name, books);
          return made === undefined ? [] : rowsOf(table.table, cellsOf(table, name, made));
        }),
      );
      for (const agent_id of holders) {
        const balance = books.coin.balances.get(`agent:${agent_id}`) ?? 0n;
        changed.push({ table: "coin_balance", cells: { agent_id, balance } });
      }
      for (const { names } of tables) names.clear();
      holders.clear();
      return changed;
    },
  };
}

/** A row, with those beside it that every agent and every profile have. */
function rowsOf(table: string, cells: Cells): readonly Changed[] {
  const own = { table, cells };
  const { agent, agent_id } = cells;
  if (table === "agent") return [own, { table: "presence", cells: { agent: agent_id } }];
  if (table !== "profile") return [own];
  const listed: Cells = { agent, capability: "", last_seen_at: agent };
  return [own, { table: "profile_capability", cells: listed }];
}

/** Stores rows and entries in a filling, and lets the projectors follow. */
function storeOf(filling: Filled) {
  const storeEntries = entryStore();
  let rules = 0;
  return async (changed: readonly Changed[], entries: readonly WholeEntry[]): Promise<void> => {
    filling.begin();
    const tx = txOver(filling.read);
    for (const { table, cells } of changed) filling.put(table, cells);
    await storeEntries(
      tx,
      entries.filter(({ kind }) => kind !== MOST),
    );
    for (const project of PROJECTORS) await project(tx, entries);
    const last = entries.at(-1);
    if (last !== undefined) {
      rules = rulesAfter(rules, entries);
      filling.put("ledger_head", { k: 1, last_id: last.ledger_id, last_at: last.at, rules });
    }
    filling.commit();
  };
}

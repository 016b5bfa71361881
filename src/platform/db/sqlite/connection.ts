import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import {
  type LimitNode,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteQueryCompiler,
} from "kysely";
import { compilerOf } from "../compiler.ts";
import type { Db, Plan } from "../engine.ts";
import { logSpaceAt } from "./disk.ts";

class Compiler extends SqliteQueryCompiler {
  /** SQLite has one writer, which holds the lock already: `for update` says nothing here. */
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier !== "ForUpdate") super.visitSelectModifier(node);
  }

  /** A bare parameter would be planned for: SQLite then prepares the statement anew for each value. */
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node);
    this.append(" + 0");
  }
}

export const sqliteCompiler = compilerOf(
  { createAdapter: () => new SqliteAdapter() },
  () => new Compiler(),
);

/** One connection and its prepared statements, by the index of their plan. */
export interface SqliteConnection {
  readonly database: DatabaseSync;
  all(plan: Plan, values: readonly unknown[]): readonly unknown[];
  run(plan: Plan, values: readonly unknown[]): number;
  close(): void;
}

interface Statement {
  readonly prepared: StatementSync;
  readonly toRow: (cells: readonly unknown[]) => unknown;
  /** It inserts a row and is asked for its number. */
  readonly isNumbered: boolean;
}

/** SQLite's own, which no database of ours changes. */
const PAGE_BYTES = 4_096;

/** What a connection is for; a `snapshot` holds one state and serves few queries. */
type Role = "reader" | "writer" | "snapshot";

/** Pages that one connection keeps in memory; the operating system's cache is behind it. */
const CACHE_KIB: Readonly<Record<Role, number>> = { reader: 6_144, writer: 4_096, snapshot: 512 };

/** After so many pages of log a database moves them into its file. */
export const logPagesAt = (path: string): number => Math.floor(logSpaceAt(path) / PAGE_BYTES);

/**
 * Opens the database file. `writer` may change it and commits durably; the others see what is
 * committed. A busy lock is reported at once, because waiting here would stop the event loop.
 */
export function openConnection(path: string, role: Role): SqliteConnection {
  const database = new DatabaseSync(path, { readOnly: role !== "writer", timeout: 0 });
  database.exec(`PRAGMA cache_size = -${CACHE_KIB[role]}; PRAGMA temp_store = memory`);
  if (role === "writer") {
    database.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${logPagesAt(path)}`);
    database.exec("PRAGMA secure_delete = FAST"); // Zeros over what goes, in pages that are written anyway.
  }
  return connectionOf(database);
}

/** The prepared statements of a connection that is open. */
export function connectionOf(database: DatabaseSync): SqliteConnection {
  const statements: Statement[] = [];

  function statement(plan: Plan): Statement {
    const known = statements[plan.index];
    if (known !== undefined) return known;
    const prepared = database.prepare(plan.numberedInsert ?? plan.sql);
    prepared.setReturnArrays(true);
    const toRow = rowMaker(prepared.columns().map((column) => column.name));
    const fresh = { prepared, toRow, isNumbered: plan.numberedInsert !== undefined };
    statements[plan.index] = fresh;
    return fresh;
  }

  return {
    database,
    all(plan, values) {
      const { prepared, toRow, isNumbered } = statement(plan);
      if (isNumbered) {
        const { changes, lastInsertRowid } = prepared.run(...(values as SQLInputValue[]));
        return changes === 0 ? [] : [{ id: Number(lastInsertRowid) }];
      }
      const rows = prepared.all(...(values as SQLInputValue[])) as unknown as unknown[][];
      return rows.map(toRow);
    },
    run(plan, values) {
      return Number(statement(plan).prepared.run(...(values as SQLInputValue[])).changes);
    },
    close: () => database.close(),
  };
}

/** Answers each query on one connection. */
export const dbOf = (connection: SqliteConnection): Db => ({
  compiler: sqliteCompiler,
  all: async (plan, values) => connection.all(plan, values),
  run: async (plan, values) => connection.run(plan, values),
});

/**
 * Plain objects are several times faster to copy and print than the rows of node:sqlite. Each
 * statement has a maker of its own, whose literal the engine knows the shape of: a loop over the
 * names takes ten times as long. The names come from our own queries.
 */
function rowMaker(columns: readonly string[]): (cells: readonly unknown[]) => unknown {
  const members = columns.map((name, i) => `${JSON.stringify(name)}: cells[${i}]`);
  return new Function("cells", `return { ${members.join(", ")} };`) as ReturnType<typeof rowMaker>;
}

import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { type SelectModifierNode, SqliteAdapter, SqliteQueryCompiler } from "kysely";
import { compilerOf } from "./compiler.ts";
import type { Plan } from "./engine.ts";

/** SQLite has one writer, which holds the lock already: `for update` says nothing here. */
class Compiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier !== "ForUpdate") super.visitSelectModifier(node);
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
  readonly columns: readonly string[];
  /** The statement was asked for the number of its new row, and is run without a RETURNING. */
  readonly isNumbered: boolean;
}

/**
 * An insert that returns the number of its new row, which SQLite tells anyway. With a RETURNING it
 * would copy every page that it touches, to be able to undo itself half-way.
 */
const NUMBERED = /^(insert into (?:(?! do update ).)+) returning "id"$/;

/** Pages of 4 KiB that one connection keeps in memory: 16 MiB. */
const CACHE_KIB = 16_384;

/** Pages of write-ahead log after which a commit also moves them to the database: 16 MiB. */
const CHECKPOINT_PAGES = 4_096;

/**
 * Opens the database file. `writer` may change it and commits durably; `reader` sees what is
 * committed. A busy lock is reported at once, because waiting here would stop the event loop.
 */
export function openConnection(path: string, role: "reader" | "writer"): SqliteConnection {
  const database = new DatabaseSync(path, { readOnly: role === "reader", timeout: 0 });
  database.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA temp_store = memory`);
  if (role === "writer") {
    database.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  }
  const statements: Statement[] = [];

  function statement(plan: Plan): Statement {
    const known = statements[plan.index];
    if (known !== undefined) return known;
    const numbered = NUMBERED.exec(plan.sql)?.[1];
    const prepared = database.prepare(numbered ?? plan.sql);
    prepared.setReturnArrays(true);
    const columns = prepared.columns().map((column) => column.name);
    const fresh = { prepared, columns, isNumbered: numbered !== undefined };
    statements[plan.index] = fresh;
    return fresh;
  }

  return {
    database,
    all(plan, values) {
      const { prepared, columns, isNumbered } = statement(plan);
      if (isNumbered) {
        const { changes, lastInsertRowid } = prepared.run(...(values as SQLInputValue[]));
        return changes === 0 ? [] : [{ id: Number(lastInsertRowid) }];
      }
      const rows = prepared.all(...(values as SQLInputValue[])) as unknown as unknown[][];
      return rows.map((cells) => toObject(columns, cells));
    },
    run(plan, values) {
      return Number(statement(plan).prepared.run(...(values as SQLInputValue[])).changes);
    },
    close: () => database.close(),
  };
}

/** Plain objects are several times faster to copy and print than the rows of node:sqlite. */
function toObject(columns: readonly string[], cells: readonly unknown[]): unknown {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < columns.length; i++) row[columns[i] as string] = cells[i];
  return row;
}

import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/** A table of the chain, with the columns of which a walk tells whether they are right. */
interface Edit {
  readonly table: string;
  readonly columns: readonly string[];
}

const CHAIN: readonly Edit[] = [
  { table: "ledger_entry", columns: ["kind", "shape", "ref", "body", "ledger_id", "at", "leaf"] },
  {
    table: "seal",
    columns: [
      "seq",
      "at",
      "count",
      "from_id",
      "to_id",
      "root",
      "prev_root",
      "prev_seal",
      "log_root",
      "origin",
      "seal_hash",
      "signed_at",
      "pubkey",
      "signature",
    ],
  },
  { table: "seal_head", columns: ["last_seq", "last_seal_hash"] },
];

type Roll = (sides: number) => number;

/** No trigger and no check stands in the way. */
function unguarded(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec("PRAGMA ignore_check_constraints = ON");
  const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'");
  for (const { name } of triggers.all()) database.exec(`DROP TRIGGER "${name}"`);
  return database;
}

/**
 * Changes one value of one row, as somebody would who has the file and knows SQL. What it did.
 */
export function editOnce(file: string, roll: Roll): object {
  const database = unguarded(file);
  try {
    for (;;) {
      const { table, columns } = CHAIN[roll(CHAIN.length)] ?? { table: "", columns: [] };
      const column = columns[roll(columns.length)] ?? "";
      const done = edit(database, { table, column }, roll);
      if (done !== null) return done;
    }
  } finally {
    database.close();
  }
}

interface Cell {
  readonly table: string;
  readonly column: string;
}

/** Null when the schema refuses it: then it could not be done. */
function edit(database: DatabaseSync, { table, column }: Cell, roll: Roll): object | null {
  const rows = database.prepare(`SELECT *, ${column} AS old FROM ${table}`).all();
  const row = rows[roll(rows.length)];
  if (row === undefined) return null;
  const { old, ...cells } = row;
  const value = changed(old ?? null, roll);
  const names = Object.keys(cells).filter((name) => cells[name] !== null);
  const where = names.map((name) => `${name} = ?`).join(" AND ");
  try {
    const { changes } = database
      .prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`)
      .run(value, ...names.map((name) => cells[name] ?? null));
    return changes === 1 ? { table, column, old, value } : null;
  } catch {
    return null;
  }
}

function changed(old: SQLInputValue, roll: Roll): SQLInputValue {
  if (old === null) return 1 + roll(9);
  if (typeof old === "number" || typeof old === "bigint") return Number(old) + 1 + roll(1_000);
  if (typeof old === "string") {
    const at = roll(old.length);
    const other = String.fromCharCode(33 + roll(90));
    return `${old.slice(0, at)}${other === old[at] ? "~" : other}${old.slice(at + 1)}`;
  }
  const bytes = Uint8Array.from(old as Uint8Array);
  const at = roll(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 + roll(255));
  return bytes;
}

import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/** A table with the columns of which an audit tells whether they are right. */
export interface Edit {
  readonly table: string;
  readonly columns: readonly string[];
}

/** Every table that holds a figure, and the chain. */
export const EDITS: readonly Edit[] = [
  { table: "ledger_entry", columns: ["kind", "ref", "body", "ledger_id", "at", "entry", "leaf"] },
  {
    table: "seal",
    columns: [
      ...["seq", "at", "count", "from_id", "to_id", "root", "prev_root", "prev_seal"],
      ...["log_root", "origin", "seal_hash", "signed_at", "pubkey", "signature"],
    ],
  },
  { table: "seal_head", columns: ["last_seq", "last_seal_hash"] },
  { table: "coin_account", columns: ["account", "balance"] },
  { table: "coin_balance", columns: ["balance"] },
  { table: "coin_posting", columns: ["ledger_id", "line", "account", "amount"] },
  {
    table: "coin_entitlement",
    columns: ["agent_id", "amount", "why", "source", "granted_at", "matures_at", "state"],
  },
  { table: "coin_claim", columns: ["id", "agent_id", "amount", "count"] },
  { table: "coin_transfer", columns: ["id", "from_agent", "to_agent", "amount"] },
  { table: "counter", columns: ["n", "usd", "usd_micro"] },
  { table: "agent_tally", columns: ["own", "repo", "repo_commit", "app", "passed_task", "claim"] },
  { table: "claim", columns: ["verdicts_true", "verdicts_false", "verdicts_void", "verdicts_own"] },
  { table: "contribution", columns: ["usd_micro"] },
  { table: "repository", columns: ["target_usd_micro"] },
  { table: "app", columns: ["valuation_usd_micro"] },
  { table: "market_figure", columns: ["amount"] },
  {
    table: "market_book",
    columns: ["state", "held_from", "price_usd_micro", "base_raw", "in_raw", "fee_raw", "out_raw"],
  },
  { table: "market_posting", columns: ["ledger_id", "line", "order_id", "account", "amount_raw"] },
  { table: "market_entry", columns: ["ledger_id", "order_id"] },
  { table: "market_order", columns: ["price_usd_micro", "base_raw", "state", "escrow_raw"] },
];

type Roll = (sides: number) => number;

/**
 * Changes one value of one row, as somebody would who has the file and knows SQL: no trigger and no
 * check stands in the way. What it did.
 */
export function editOnce(file: string, roll: Roll): object {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec("PRAGMA ignore_check_constraints = ON");
  try {
    const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'");
    for (const { name } of triggers.all()) database.exec(`DROP TRIGGER "${name}"`);
    for (;;) {
      const done = tryEdit(database, roll);
      if (done !== null) return done;
    }
  } finally {
    database.close();
  }
}

/** Null when the schema refuses it: then it could not be done. */
function tryEdit(database: DatabaseSync, roll: Roll): object | null {
  const { table, columns } = EDITS[roll(EDITS.length)] ?? { table: "", columns: [] };
  const column = columns[roll(columns.length)] ?? "";
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

import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/** A table with the columns of which an audit tells whether they are right. */
export interface Edit {
  readonly table: string;
  readonly columns: readonly string[];
}

const CHAIN: readonly Edit[] = [
  { table: "ledger_entry", columns: ["kind", "ref", "body", "ledger_id", "at", "entry", "leaf"] },
  {
    table: "seal",
    columns: [
      ...["seq", "at", "count", "from_id", "to_id", "root", "prev_root", "prev_seal"],
      ...["log_root", "origin", "seal_hash", "signed_at", "pubkey", "signature"],
    ],
  },
  { table: "seal_head", columns: ["last_seq", "last_seal_hash"] },
];

/** Every table whose rows follow from the ledger. */
export const KEPT: readonly Edit[] = [
  { table: "coin_account", columns: ["account", "balance"] },
  { table: "coin_balance", columns: ["balance"] },
  { table: "coin_posting", columns: ["ledger_id", "line", "account", "amount"] },
  {
    table: "coin_entitlement",
    columns: [
      ...["agent_id", "amount", "why", "source", "granted_at", "matures_at", "state"],
      "coin_claim_id",
    ],
  },
  { table: "coin_grant_hour", columns: ["hour", "n", "amount", "newcomers"] },
  { table: "coin_claim", columns: ["id", "agent_id", "amount", "count"] },
  { table: "coin_transfer", columns: ["id", "from_agent", "to_agent", "amount"] },
  { table: "counter", columns: ["n", "usd", "usd_micro"] },
  { table: "agent_tally", columns: ["own", "repo", "repo_commit", "app", "passed_task", "claim"] },
  { table: "agent", columns: ["agent_id", "handle", "own", "banned_at"] },
  {
    table: "claim",
    columns: [
      ...["kind", "agent", "about", "resolve_by", "week"],
      ...["verdicts_true", "verdicts_false", "verdicts_void", "verdicts_own"],
    ],
  },
  { table: "verdict", columns: ["claim", "agent", "outcome", "own"] },
  {
    table: "contribution",
    columns: [
      ...["agent", "currency", "txid", "amount", "amount_raw", "usd_micro", "rate"],
      ...["rate_source", "proof", "superseded_by"],
    ],
  },
  {
    table: "repository",
    columns: ["founder", "target_usd_micro", "members", "commits", "applications"],
  },
  { table: "repository_commit", columns: ["repository", "agent", "hash"] },
  {
    table: "app",
    columns: [
      ...["agent", "repository", "valuation_usd_micro", "html_sha256", "html_bytes"],
      "hidden_at",
    ],
  },
  { table: "app_page", columns: ["app", "html"] },
  {
    table: "task_submission",
    columns: ["id", "task", "agent", "outcome", "payload", "payload_sha256"],
  },
  { table: "market_figure", columns: ["amount"] },
  {
    table: "market_book",
    columns: ["state", "held_from", "price_usd_micro", "base_raw", "in_raw", "fee_raw", "out_raw"],
  },
  { table: "market_posting", columns: ["ledger_id", "line", "order_id", "account", "amount_raw"] },
  { table: "market_entry", columns: ["ledger_id", "order_id"] },
  {
    table: "market_offer",
    columns: ["agent", "price_usd_micro", "sla_hours", "flagged", "withdrawn_at"],
  },
  {
    table: "market_order",
    columns: [
      ...["offer", "buyer", "seller", "price_usd_micro", "sla_hours", "base_raw", "rate_e8"],
      ...["rate_source", "state", "received_raw", "escrow_raw", "expires_at", "deliver_by"],
      ...["refund_at", "accept_by", "payments", "deliveries", "refunds", "holds"],
    ],
  },
  {
    table: "market_payment",
    columns: ["order_id", "n", "currency", "txid", "amount_raw", "checked", "role"],
  },
  {
    table: "market_payout",
    columns: ["order_id", "currency", "txid", "to_account", "amount_raw", "checked"],
  },
  {
    table: "market_refund",
    columns: [...["order_id", "n", "amount_raw", "why", "currency", "txid", "sent_to", "checked"]],
  },
  { table: "market_delivery", columns: ["order_id", "n", "late"] },
  { table: "own_account", columns: ["account", "role", "n"] },
  { table: "chain_tx", columns: ["key", "used_by", "checked"] },
];

const EDITS: readonly Edit[] = [...CHAIN, ...KEPT];

type Roll = (sides: number) => number;

/** Changes a value of one column, in a row of chance; null when the schema refuses every value. */
export function editColumn(file: string, { table, column }: Cell, roll: Roll): object | null {
  const database = unguarded(file);
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const done = edit(database, { table, column }, roll);
      if (done !== null) return done;
    }
    return null;
  } finally {
    database.close();
  }
}

const TRIES = 50;

interface Cell {
  readonly table: string;
  readonly column: string;
}

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
      const { table, columns } = EDITS[roll(EDITS.length)] ?? { table: "", columns: [] };
      const column = columns[roll(columns.length)] ?? "";
      const done = edit(database, { table, column }, roll);
      if (done !== null) return done;
    }
  } finally {
    database.close();
  }
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

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { entryText, leafOf } from "../src/kernel/proof/entry.ts";
import type { Engine } from "./service.ts";

/** An entry as versions before 0060-packed-entries stored it. */
export interface OldEntry {
  readonly ledger_id: number;
  readonly at: number;
  readonly kind: string;
  readonly ref: string;
  readonly body: string;
  readonly entry: string;
  readonly leaf: Uint8Array;
}

const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash("sha256").update(bytes).digest());

/** Entries of several kinds and shapes. */
export function oldEntries(count: number): readonly OldEntry[] {
  return Array.from({ length: count }, (_, i) => {
    const ledger_id = i + 1;
    const [kind, ref, fields] = contents(i);
    const body = JSON.stringify(fields, Object.keys(fields).sort());
    const at = 1_700_000_000 + Math.floor(i / 3);
    const entry = entryText({ id: ledger_id, at, kind, ref, body });
    return { ledger_id, at, kind, ref, body, entry, leaf: leafOf(Buffer.from(entry), sha256) };
  });
}

function contents(i: number): [string, string, Record<string, string | number>] {
  if (i === 0) return ["genesis", "1", { origin: "old.example/network" }];
  if (i % 50 === 1) return ["agent", `ag_${i}`, { agent_id: `ag_${i}`, handle: `é"${i}` }];
  const hash = createHash("sha256").update(`${i}`).digest("hex");
  const reply = i % 3 === 0 ? { reply_to: i - 1 } : {};
  return ["post", `${i}`, { agent_id: `ag_${i % 50}`, body_sha256: hash, post_id: i, ...reply }];
}

/** The last migration before entries were packed. */
const LAST = "0057";

const migrations = (engine: Engine) => {
  const folder = new URL(`../src/db/migrations/${engine}/`, import.meta.url);
  return readdirSync(folder)
    .sort()
    .filter((file) => file.endsWith(".sql") && file.slice(0, LAST.length) <= LAST)
    .map((file) => ({
      name: file.slice(0, -".sql".length),
      sql: readFileSync(new URL(file, folder), "utf8"),
    }));
};

const RECORD = `CREATE TABLE schema_migration (
  number INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, step TEXT)`;

const recordOf = ({ name, sql }: { readonly name: string; readonly sql: string }) =>
  `INSERT INTO schema_migration VALUES (${Number(name.slice(0, 4))}, '${name}',
    '${createHash("sha256").update(sql).digest("hex")}', NULL)`;

const COLUMNS = ["ledger_id", "at", "kind", "ref", "body", "entry", "leaf"] as const;

/** Makes a database file of a version before. */
export function oldSqlite(path: string, entries: readonly OldEntry[]): void {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; BEGIN; ${RECORD}`);
  for (const each of migrations("sqlite")) {
    database.exec(each.sql);
    database.exec(recordOf(each));
  }
  const insert = database.prepare(
    `INSERT INTO ledger_entry (${COLUMNS.join()}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const entry of entries) insert.run(...COLUMNS.map((column) => entry[column]));
  database.exec(headOf(entries));
  database.exec("COMMIT");
  database.close();
}

/** The same in an empty PostgreSQL database. */
export async function oldPostgres(url: string, entries: readonly OldEntry[]): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query(RECORD);
  for (const each of migrations("postgres")) {
    await client.query(each.sql);
    await client.query(recordOf(each));
  }
  await client.query(
    `INSERT INTO ledger_entry (${COLUMNS.join()}) SELECT * FROM unnest($1::bigint[], $2::bigint[],
      $3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[])`,
    COLUMNS.map((column) => entries.map((entry) => entry[column])),
  );
  await client.query(headOf(entries));
  await client.end();
}

const headOf = (entries: readonly OldEntry[]) =>
  `UPDATE ledger_head SET last_id = ${entries.length}, last_at = ${entries.at(-1)?.at ?? 0}`;

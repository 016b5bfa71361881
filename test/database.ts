import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Pool } from "pg";

/** What `test/setup.ts` tells the processes that run test files. */
export const SQLITE_TEMPLATE = "TEST_SQLITE_TEMPLATE";
export const POSTGRES_URL = "TEST_POSTGRES_URL";

/** The migrated database that every fresh one is a copy of. Nobody connects to it. */
export const TEMPLATE_DATABASE = "cairn_template";

let count = 0;
let pool: Pool | undefined;

/** A migrated database file of its own. */
export function freshSqlite(): string {
  const template = given(SQLITE_TEMPLATE);
  const path = join(template, "..", `${nextName()}.db`);
  copyFileSync(template, path);
  return path;
}

/** Removes a file that `freshSqlite` made, after its last connection was closed. */
export function dropSqlite(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

/** The URL of a migrated database of its own. */
export async function freshPostgres(): Promise<string> {
  return createPostgres(TEMPLATE_DATABASE);
}

/** The URL of a database that has no tables yet. */
export async function emptyPostgres(): Promise<string> {
  return createPostgres("template0");
}

async function createPostgres(template: string): Promise<string> {
  const name = nextName();
  await dropUnused();
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  return postgresUrl(name);
}

/**
 * Removes a database that was made here. The next one that is made, or the end of the process, drops it:
 * its connections have ended by then, and otherwise the server waits 100 ms for them.
 */
export function dropPostgres(url: string): void {
  unused.push(new URL(url).pathname.slice(1));
}

const unused: string[] = [];

async function dropUnused(): Promise<void> {
  for (const name of unused.splice(0)) await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
}

process.on("beforeExit", dropUnused);

/** The URL of another database of the tests' server. */
export function postgresUrl(name: string): string {
  const url = new URL(given(POSTGRES_URL));
  url.pathname = `/${name}`;
  return url.href;
}

/** One connection for the whole process, which does not keep the process alive. */
function onServer(statement: string): Promise<unknown> {
  const max = 1;
  pool ??= new Pool({ connectionString: given(POSTGRES_URL), max, allowExitOnIdle: true });
  return pool.query(statement);
}

const nextName = () => `test_${process.pid}_${count++}`;

function given(variable: string): string {
  const value = process.env[variable];
  if (value === undefined) throw new Error("Run tests with --test-global-setup=test/setup.ts.");
  return value;
}

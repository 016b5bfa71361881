import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { Client } from "pg";
import { folderFor, type Site, sealed, siteFor, takeAlong } from "./site.ts";
import { clientOf, ENGINES, type Engine, seededRandom } from "./world.ts";

const KILLS_MAX = 500;
const KILLS = Math.min(Number(process.env["TEST_KILLS"] ?? 20), KILLS_MAX);
const KINDS = 7;
const EACH = Math.ceil(KILLS / KINDS);
const POSTS = 1_500;
const WRITERS = 16;

const ROOT = join(import.meta.dirname, "..");

/** Starts a command and kills it after a while; resolves when it is gone. */
async function killed(site: Site, args: readonly string[], after_ms: number): Promise<void> {
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME, ...site.variables };
  const child = spawn(process.execPath, ["src/cli/cairn.ts", ...args], { cwd: ROOT, env });
  const gone = once(child, "close");
  const timer = setTimeout(() => child.kill("SIGKILL"), after_ms);
  await gone;
  clearTimeout(timer);
}

/** Kills a command at moments spread over the time that it takes, and looks after each. */
async function killOften(
  site: Site,
  args: readonly string[],
  look: (isWhole: boolean) => Promise<void>,
): Promise<void> {
  const random = seededRandom(`${site.engine} ${args[0]}`);
  const begin = performance.now();
  const { code, out, err } = await site.run(...args);
  assert.equal(code, 0, out + err);
  const whole_ms = performance.now() - begin;
  await look(true);
  for (let kill = 0; kill < EACH; kill++) {
    const part = 0.2 + ((random(1)[0] ?? 0) / 255) * 0.9;
    await killed(site, args, part * whole_ms);
    await look(false);
  }
}

/** A network of some size, a backup and an export of it. */
async function prepared(t: TestContext, engine: Engine) {
  const site = await siteFor(t, engine);
  const service = await site.start();
  const { post } = clientOf(service.url);
  const { token } = (await post("/register", { handle: "ada" })).body;
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      for (let i = 0; i < POSTS / WRITERS; i++) await post("/post", { body: "x" }, { token });
    }),
  );
  await sealed(service);
  await service.stop("SIGTERM");
  const folder = folderFor(t);
  const [backup, exported] = [join(folder, "backup"), join(folder, "export.ndjson")];
  for (const args of [
    ["backup", backup],
    ["export", exported],
  ]) {
    const { code, err } = await site.run(...args);
    assert.equal(code, 0, err);
  }
  return { site, folder, backup, exported };
}

/** What a database file holds: entries, and how many restores it admits; null when there is none. */
function heldIn({ dataDir }: Site): { entries: number; epochs: number } | null {
  const path = join(dataDir, "cairn.db");
  if (!existsSync(path)) return null;
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const count = (what: string) =>
      Number(database.prepare(`SELECT count(*) AS n FROM ${what}`).get()?.["n"]);
    return { entries: count("ledger_entry"), epochs: count("ledger_epoch") };
  } finally {
    database.close();
  }
}

async function onServer<T>({ variables }: Site, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(variables["CAIRN_DATABASE_URL"]);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

for (const engine of ENGINES) {
  test(`${EACH} kills of a backup leave a whole one or none [${engine}]`, async (t) => {
    const { site, folder } = await prepared(t, engine);
    const file = join(folder, "killed");
    await killOften(site, ["backup", file], async (isWhole) => {
      assert.ok(!isWhole || existsSync(file));
      if (!existsSync(file)) return;
      const walk = await site.run("verify", file, "--entries", "--state", join(folder, "heads"));
      assert.equal(walk.code, 0, walk.out + walk.err);
      rmSync(file);
    });
    assert.equal((await site.run("backup", file)).code, 0);
    const names = readdirSync(folder).sort();
    assert.deepEqual(names, ["backup", "export.ndjson", "killed"], "no leftovers");
  });
}

test(`${EACH} kills of a restore, and of an import, leave all or nothing [sqlite]`, async (t) => {
  const { site, backup, exported } = await prepared(t, "sqlite");
  const to = await siteFor(t, "sqlite");
  takeAlong(site, to, ["operator.key"]);
  const { entries } = heldIn(site) ?? { entries: 0 };
  assert.ok(entries >= POSTS);
  const look = (epochs: number) => async (isWhole: boolean) => {
    const held = heldIn(to);
    if (held !== null || isWhole) assert.deepEqual(held, { entries: entries + epochs, epochs });
    for (const suffix of ["", "-wal", "-shm"]) {
      rmSync(join(to.dataDir, `cairn.db${suffix}`), { force: true });
    }
  };
  await killOften(to, ["restore", backup], look(1)); // Without the memory, each begins an epoch.
  await killOften(to, ["import", exported], look(0));
  const service = await to.run("restore", exported);
  assert.equal(service.code, 0, service.err);
  assert.deepEqual(
    readdirSync(to.dataDir).filter((name) => name.includes("unfinished")),
    [],
  );
  const running = await to.start();
  await sealed(running);
  const { body } = await clientOf(running.url).get("/seal");
  assert.equal(body.chain_intact, true);
});

test(`${EACH} kills of an import and of a migration leave all or nothing [postgres]`, async (t) => {
  const { site, exported } = await prepared(t, "sqlite");
  const { entries } = heldIn(site) ?? { entries: 0 };
  const to = await siteFor(t, "postgres");
  const empty = () =>
    onServer(to, (client) => client.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public"));
  const settled = (client: Client) =>
    client.query<{ n: number }>(
      `SELECT count(*)::integer AS n FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'cairn'`,
    );
  const look = async (isWhole: boolean) => {
    const held = await onServer(to, async (client) => {
      while (((await settled(client)).rows[0]?.n ?? 0) > 0); // The server undoes what was cut off.
      const { rows } = await client.query("SELECT to_regclass('ledger_entry') IS NOT NULL AS is");
      if (!rows[0]?.is) return null;
      const count = await client.query("SELECT count(*)::integer AS n FROM ledger_entry");
      return Number(count.rows[0]?.n);
    });
    assert.ok(held === entries || (!isWhole && (held === null || held === 0)), String(held));
    await empty();
  };
  await killOften(to, ["import", exported], look);

  const random = seededRandom("migration");
  const tables = (client: Client) =>
    client.query("SELECT count(*)::integer AS n FROM pg_tables WHERE schemaname = 'public'");
  const seen = new Set<number>();
  for (let kill = 0; kill < EACH; kill++) {
    await killed(to, ["serve"], 500 + ((random(1)[0] ?? 0) / 255) * 1_500);
    await onServer(to, async (client) => {
      while (((await settled(client)).rows[0]?.n ?? 0) > 0);
      seen.add(Number((await tables(client)).rows[0]?.n));
    });
    await empty();
  }
  const last = await siteFor(t, "postgres"); // A start that went far has made a key of its own.
  const all = await onServer(last, async (client) => {
    const { code, err } = await last.run("import", exported);
    assert.equal(code, 0, err);
    return Number((await tables(client)).rows[0]?.n);
  });
  for (const count of seen) assert.ok(count === 0 || count === all, `${count} of ${all} tables`);
});

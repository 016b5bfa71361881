import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Client } from "pg";
import { dropPostgres, freshPostgres } from "./database.ts";
import { CAIRN } from "./process.ts";
import { clientOf, ENGINES, type Engine, seededRandom } from "./service.ts";
import { folderFor, type Site, sealed, siteFor, takeAlong } from "./site.ts";

const KILLS_MAX = 500;
const KILLS = Math.min(Number(process.env["TEST_KILLS"] ?? 7), KILLS_MAX);
const KINDS = 7;
const EACH = Math.ceil(KILLS / KINDS);
const POSTS = 1_500;
const WRITERS = 16;
/** A command may end in the moment in which it is to be killed; such a run is looked at as well. */
const RUNS_MAX = 20;

const ROOT = join(import.meta.dirname, "..");

/** Starts a command and kills it once `isDue`; resolves to whether it was killed before it ended. */
async function killed(
  site: Site,
  args: readonly string[],
  isDue: () => Promise<boolean>,
): Promise<boolean> {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE, ...site.variables };
  const options = { cwd: ROOT, env, stdio: "ignore" } as const;
  const child = spawn(process.execPath, [CAIRN, ...args], options);
  const gone = once(child, "close");
  while (child.exitCode === null && !(await isDue())) await setTimeout(1);
  child.kill("SIGKILL");
  const [code, signal] = await gone;
  assert.ok(code === 0 || signal === "SIGKILL", `${args.join(" ")}: ${code ?? signal}`);
  return signal === "SIGKILL";
}

/** How many bytes there are, so that it shows how far a command has come, at any pace. */
type Meter = () => Promise<number>;

/** The bytes of the files of a folder, with those that are not finished. */
const bytesIn =
  (folder: string): Meter =>
  async () =>
    readdirSync(folder)
      .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
      .reduce((sum, size) => sum + size, 0);

/** The bytes of a database on the server, with those of transactions that are under way. */
async function bytesOn(client: Client): Promise<number> {
  const size = "SELECT pg_database_size(current_database())::float8 AS bytes";
  return Number((await client.query(size)).rows[0]?.["bytes"]);
}

/** Kills a command when it has written parts of its bytes, from few to all, and looks after each. */
async function killOften(
  site: Site,
  args: readonly string[],
  {
    bytes,
    inspect,
  }: { readonly bytes: Meter; readonly inspect: (isWhole: boolean) => Promise<void> },
): Promise<void> {
  const random = seededRandom(`${site.engine} ${args[0]}`);
  const empty = await bytes();
  const { code, out, err } = await site.run(...args);
  assert.equal(code, 0, out + err);
  const whole = (await bytes()) - empty;
  assert.ok(whole > 0, "it writes");
  await inspect(true);
  let kills = 0;
  for (let runs = 0; kills < EACH; runs++) {
    assert.ok(runs < RUNS_MAX * EACH, "it always ends before it is killed");
    const due = (await bytes()) + Math.max(1, whole * part(random));
    if (await killed(site, args, async () => (await bytes()) >= due)) kills++;
    await inspect(false);
  }
}

/** From 0 to 1. */
const part = (random: (n: number) => Uint8Array): number => (random(1)[0] ?? 0) / 255;

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

/** The bytes of a database that has its tables, and nothing in them. */
async function sizeOfMigrated(t: TestContext): Promise<number> {
  const url = await freshPostgres();
  t.after(() => dropPostgres(url));
  const client = new Client(url);
  await client.connect();
  return bytesOn(client).finally(() => client.end());
}

for (const engine of ENGINES) {
  test(`${EACH} kills of a backup leave a whole one or none [${engine}]`, async (t) => {
    const { site, folder } = await prepared(t, engine);
    const file = join(folder, "killed");
    const inspect = async (isWhole: boolean) => {
      assert.ok(!isWhole || existsSync(file));
      if (!existsSync(file)) return;
      const walk = await site.run("verify", file, "--entries", "--state", join(folder, "heads"));
      assert.equal(walk.code, 0, walk.out + walk.err);
      rmSync(file);
    };
    await killOften(site, ["backup", file], { bytes: bytesIn(folder), inspect });
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
  const inspect = (epochs: number) => async (isWhole: boolean) => {
    const held = heldIn(to);
    if (held !== null || isWhole) assert.deepEqual(held, { entries: entries + epochs, epochs });
    // With what a killed command has left: it may be larger than all that the next one writes.
    for (const name of readdirSync(to.dataDir))
      if (name.startsWith("cairn.db")) rmSync(join(to.dataDir, name));
  };
  const bytes = bytesIn(to.dataDir);
  // Without the signer's memory, each restore begins an epoch.
  await killOften(to, ["restore", backup], { bytes, inspect: inspect(1) });
  await killOften(to, ["import", exported], { bytes, inspect: inspect(0) });
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
  const inspect = async (isWhole: boolean) => {
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
  const bytes = () => onServer(to, bytesOn);
  await killOften(to, ["import", exported], { bytes, inspect });

  const whole = (await sizeOfMigrated(t)) - (await bytes());
  const random = seededRandom("migration");
  const tables = async (client: Client) => {
    const count = "SELECT count(*)::integer AS n FROM pg_tables WHERE schemaname = 'public'";
    return Number((await client.query(count)).rows[0]?.n);
  };
  const seen = new Set<number>();
  for (let kill = 0; kill < EACH; kill++) {
    const due = (await bytes()) + Math.max(1, whole * part(random));
    const isDue = () =>
      onServer(to, async (client) => (await bytesOn(client)) >= due || (await tables(client)) > 0);
    assert.ok(await killed(to, ["serve", "--port", "0"], isDue));
    await onServer(to, async (client) => {
      while (((await settled(client)).rows[0]?.n ?? 0) > 0);
      seen.add(await tables(client));
    });
    await empty();
  }
  const last = await siteFor(t, "postgres"); // A start that went far has made a key of its own.
  const all = await onServer(last, async (client) => {
    const { code, err } = await last.run("import", exported);
    assert.equal(code, 0, err);
    return tables(client);
  });
  for (const count of seen) assert.ok(count === 0 || count === all, `${count} of ${all} tables`);
});

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "pg";
import { postgresSnapshot } from "../src/platform/db/postgres/copy.ts";
import { preparePostgres } from "../src/platform/db/postgres/store.ts";
import { clientOf, ENGINES } from "./service.ts";
import { figuresOf, folderFor, liveOn, type Site, sealed, siteFor, takeAlong } from "./site.ts";

const only = { skip: !ENGINES.includes("postgres") };

/** Statements that make another schema than `public` the one of the service; `%` is the database. */
const WAYS = {
  "a schema with the role's name": `CREATE SCHEMA postgres`,
  "a search_path": `CREATE SCHEMA "Own app"; ALTER DATABASE % SET search_path = "Own app", public`,
};

const urlOf = (site: Site) => site.variables["CAIRN_DATABASE_URL"] ?? "";

async function run(url: string, statements: string): Promise<readonly { n?: unknown }[]> {
  const client = new Client(url);
  await client.connect();
  try {
    const name = new URL(url).pathname.slice(1);
    return (await client.query(statements.replaceAll("%", name))).rows;
  } finally {
    await client.end();
  }
}

const inPublic = async (url: string) =>
  Number((await run(url, "SELECT count(*) AS n FROM pg_tables WHERE schemaname = 'public'"))[0]?.n);

async function done(outcome: ReturnType<Site["run"]>): Promise<void> {
  const { code, out, err } = await outcome;
  assert.equal(code, 0, out + err);
}

for (const [name, statements] of Object.entries(WAYS)) {
  test(`a service lives in ${name}, and so do all its commands`, only, async (t) => {
    const [site, restored, imported] = [
      await siteFor(t, "postgres"),
      await siteFor(t, "postgres"),
      await siteFor(t, "postgres"),
    ];
    for (const one of [site, restored, imported]) await run(urlOf(one), statements);
    const service = await site.start();
    const { token } = await liveOn(site, service);
    await sealed(service);
    const figures = await figuresOf(service);
    await service.stop("SIGTERM");
    const folder = folderFor(t);
    const [backup, file] = [join(folder, "backup"), join(folder, "export.ndjson")];
    await done(site.run("backup", backup));
    await done(site.run("export", file));
    await done(site.run("doctor", "--quick"));
    await done(site.run("verify", file));
    takeAlong(site, restored, ["operator.key", "dev-chain.ndjson"]);
    await done(restored.run("restore", "--reason", "The disk died.", backup));
    takeAlong(site, imported);
    await done(imported.run("import", file));
    for (const one of [site, restored, imported]) assert.equal(await inPublic(urlOf(one)), 0);
    const moved = await imported.start();
    assert.deepEqual(await figuresOf(moved), figures);
    assert.equal(
      (await clientOf(moved.url).post("/post", { body: "Go on." }, { token })).status,
      201,
    );
    await moved.stop("SIGTERM");
  });
}

/** What a database is refused with: by the start, and by the commands that read it. */
async function refusalOf(url: string): Promise<string> {
  const why = await preparePostgres(url).then(
    () => "It was taken.",
    (error: Error) => error.message,
  );
  await assert.rejects(postgresSnapshot(url), (error: Error) => why === error.message);
  return why;
}

test(
  "a start refuses to begin a second ledger beside one that it does not see",
  only,
  async (t) => {
    const site = await siteFor(t, "postgres");
    const service = await site.start();
    await service.stop("SIGTERM");
    const url = urlOf(site);
    for (const statements of Object.values(WAYS)) {
      await run(url, statements);
      assert.match(
        await refusalOf(url),
        /schema public holds a ledger, .* schema (postgres|Own app), which holds none.*search_path = "public"/,
      );
    }
    await assert.rejects(site.start(), /schema public holds a ledger/);
    await run(url, "ALTER DATABASE % SET search_path = public");
    await (await site.start()).stop("SIGTERM");
  },
);

test("a start refuses two ledgers in the schemas that it sees", only, async (t) => {
  const site = await siteFor(t, "postgres");
  await (await site.start()).stop("SIGTERM");
  const url = urlOf(site);
  await run(url, `ALTER SCHEMA public RENAME TO postgres; CREATE SCHEMA public`);
  await run(url, "ALTER DATABASE % SET search_path = public");
  await assert.rejects(site.start(), /schema postgres holds a ledger/);
  await run(url, `CREATE TABLE public.ledger_entry AS SELECT * FROM postgres.ledger_entry`);
  await run(url, `ALTER DATABASE % SET search_path = "$user", public`);
  assert.match(await refusalOf(url), /schemas postgres and public both hold a ledger/);
  await run(url, "ALTER DATABASE % SET search_path = postgres");
  await (await site.start()).stop("SIGTERM");
});

test("a role or a database may say otherwise how lists and bytes are written", only, async (t) => {
  const site = await siteFor(t, "postgres");
  await run(urlOf(site), "ALTER DATABASE % SET array_nulls = off");
  await run(urlOf(site), "ALTER DATABASE % SET bytea_output = escape");
  const service = await site.start();
  await liveOn(site, service);
  await sealed(service);
  await service.stop("SIGTERM");
  const file = join(folderFor(t), "export.ndjson");
  await done(site.run("export", file));
  const other = await siteFor(t, "postgres");
  await run(urlOf(other), "ALTER DATABASE % SET array_nulls = off");
  takeAlong(site, other);
  await done(other.run("import", file));
});

import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { Client } from "pg";
import { dropPostgres, emptyPostgres, freshPostgres, postgresUrl } from "../../../test/database.ts";
import { eventually } from "../../../test/postgres-store.ts";
import { runCairn, runHere, startService } from "../../../test/process.ts";
import { clientOf, ENGINES, type Engine } from "../../../test/service.ts";
import { folderFor, type Site, sealed, siteFor, takeAlong } from "../../../test/site.ts";

/** What a doctor says that matters, as `state about`, and all that it said. */
async function diagnosis(site: Site, more: Site["variables"] = {}, ...args: string[]) {
  const variables = { ...site.variables, ...more };
  const { code, out, err } = await runHere(["doctor", "--json", ...args], variables);
  assert.equal(err, "");
  const { findings, ...page } = JSON.parse(out);
  const bad = findings
    .filter(({ state }: { state: string }) => state !== "ok")
    .map(({ state, about, advice }: Record<string, string>) => {
      assert.ok(advice || about === "nano", "what is wrong comes with what to do");
      return `${state} ${about}`;
    });
  return { code, bad, page, text: JSON.stringify(findings) };
}

/** A network that ran for a moment. */
async function used(t: TestContext, engine: Engine): Promise<Site> {
  const site = await siteFor(t, engine);
  const service = await site.start();
  await clientOf(service.url).post("/register", { handle: "ada" });
  await sealed(service);
  await service.stop("SIGTERM");
  return site;
}

for (const engine of ENGINES) {
  test(`before the first start, while it runs, and after it, all is well [${engine}]`, async (t) => {
    const site = await siteFor(t, engine);
    const first = await diagnosis(site);
    assert.deepEqual([first.code, first.bad], [0, ["warning ledger"]], first.text);
    assert.match(first.text, /There is no ledger in .*The first start begins one\./);
    const service = await site.start();
    await sealed(service);
    const running = await diagnosis(site, {}, "--quick");
    assert.deepEqual([running.code, running.bad], [0, []], running.text);
    await service.stop("SIGTERM");
    const after = await diagnosis(site);
    assert.deepEqual([after.code, after.bad], [0, []], after.text);
    assert.match(after.text, /No unsequenced, unsealed or unsigned entries\./);
    assert.match(after.text, /"(?:1 seal|\d+ seals) over \d+ entries verif(?:y|ies)\."/);
    assert.match(after.text, /nano_\w+ is the network's own \(escrow\)/);
  });
}

test("a service that runs on another folder is told", async (t) => {
  const site = await siteFor(t, "sqlite");
  const other = createServer((_, res) => res.end('{"ok":true,"reasons":[],"findings":[]}')).listen(
    0,
    "127.0.0.1",
  );
  t.after(() => other.close());
  await once(other, "listening");
  const address = other.address();
  assert.ok(typeof address === "object" && address !== null);
  const { code, bad, text } = await diagnosis(site, { CAIRN_ADMIN_PORT: `${address.port}` });
  assert.deepEqual([code, bad], [1, ["warning ledger", "fault service"]], text);
  assert.match(text, /A service answers at .*, but none runs on the data folder/);
});

test("a page for a person names what is wrong and what to do, and no secret", async (t) => {
  const site = await siteFor(t, "sqlite");
  const secret = "https://user-key.example/rpc/5ecret";
  const variables = {
    CAIRN_DATA_DIR: site.dataDir,
    CAIRN_NANO_RPC_URLS: secret,
    CAIRN_NANO_RPC_AUTH: "Bearer 5ecret",
    CAIRN_ADMIN_HOST: "0.0.0.0",
    CAIRN_ADMIN_PORT: "1",
    CAIRN_HOST: "::",
  };
  const { code, out } = await runCairn(["doctor"], variables);
  assert.equal(code, 1, out);
  assert.doesNotMatch(out, /5ecret/);
  assert.match(out, /CAIRN_NANO_RPC_AUTH=\(secret\)/);
  assert.match(out, /WARNING {2}settings {3}The operators' listener is on every address/);
  assert.match(
    out,
    /WARNING {2}settings {3}Documents and links name an address that nobody can reach/,
  );
  assert.match(out, /FAULT {4}nano {7}user-key\.example cannot be used/);
  assert.match(out, /FAULT {4}nano {7}XNO has no price/);
  assert.match(out, /\nFaults: 2\. Warnings: \d+\.\n$/);
  const wrong = await runCairn(["doctor"], { CAIRN_PORT: "x" });
  assert.deepEqual([wrong.code, wrong.out], [2, ""]);
});

test("keys, memory, rights, schema and chain are looked at", async (t) => {
  const site = await used(t, "sqlite");
  const file = (name: string) => join(site.dataDir, name);
  const [key, memory] = [file("operator.key"), file("signer-memory.json")];
  const expect = async (bad: readonly string[]) => {
    const found = await diagnosis(site);
    assert.deepEqual(found.bad, bad, found.text);
    assert.equal(found.code, bad.some((one) => one.startsWith("fault")) ? 1 : 0);
  };

  chmodSync(key, 0o644);
  await expect(["fault files", "fault key"]);
  chmodSync(key, 0o600);
  chmodSync(file("cairn.db"), 0o640);
  await expect(["warning files"]);
  chmodSync(file("cairn.db"), 0o600);

  renameSync(key, `${key}-away`);
  await expect(["warning key"]);
  const other = await used(t, "sqlite");
  takeAlong(other, site, ["operator.key"]);
  await expect(["fault key"]);
  renameSync(`${key}-away`, key);

  const remembered = readFileSync(memory, "utf8");
  rmSync(memory);
  await expect(["fault key"]);
  writeFileSync(memory, JSON.stringify({ ...JSON.parse(remembered), seq: 999 }), { mode: 0o600 });
  await expect(["fault key"]);
  writeFileSync(memory, remembered, { mode: 0o600 });
  await expect([]);

  cpSync(file("cairn.db"), file("kept"));
  const change = (sql: string) => {
    const database = new DatabaseSync(file("cairn.db"));
    database.exec(sql);
    database.close();
  };
  change("INSERT INTO schema_migration (number, name, sha256) VALUES (9999, '9999-later', 'x')");
  await expect(["fault schema"]);
  change("UPDATE schema_migration SET step = 'expand' WHERE number = 9999");
  await expect(["warning schema"]);
  change("DELETE FROM schema_migration WHERE number = 9999");
  change("UPDATE seal_head SET first_broken_seq = 1");
  await expect(["fault chain"]);
  change("UPDATE seal_head SET first_broken_seq = NULL");
  change(`DROP TRIGGER ledger_entry_never_changes;
    UPDATE ledger_entry SET ref = 'ag_other'
      WHERE kind = (SELECT id FROM ledger_kind WHERE kind = 'agent')`);
  await expect(["fault chain"]);
  rmSync(file("cairn.db"));
  renameSync(file("kept"), file("cairn.db"));
  change("UPDATE ledger_head SET last_at = last_at + 1000");
  await expect(["fault clock"]);
  writeFileSync(file("cairn.db"), "no database");
  await expect(["fault database"]);
  assert.doesNotMatch((await diagnosis(site)).text, /first start begins/);
});

for (const engine of ENGINES) {
  test(`a limit that was not announced, and a proxy that is not trusted [${engine}]`, async (t) => {
    const site = await siteFor(t, engine);
    // Loopback stands for the private address of a container's gateway.
    const strangers = { CAIRN_PROTECTION: "public", CAIRN_TRUSTED_PROXIES: "10.0.0.0/8" };
    const more = { ...strangers, CAIRN_ALARM_COMMAND: "/bin/true" };
    const service = await startService({ ...site.variables, ...more });
    t.after(() => service.stop("SIGKILL"));
    const asking = { ...more, CAIRN_PORT: new URL(service.url).port };
    const unchosen = await diagnosis(site, asking, "--quick");
    assert.ok(unchosen.bad.includes("warning rewards"), "a public network chooses a pace");
    const untold = await diagnosis(site, { ...asking, CAIRN_ALARM_COMMAND: "" }, "--quick");
    assert.ok(untold.bad.includes("warning alarms"), "somebody has to be told");
    assert.ok(unchosen.bad.includes("warning log"), "strangers cannot follow it");
    const log = await runHere(["log", "init"], { ...site.variables, ...more });
    assert.equal(log.code, 0, log.err);
    assert.match(unchosen.text, /none +one address earns up to 480 coins on its first day/);
    const asked = { ...asking, CAIRN_REWARDS_PER_HOUR: "0" };
    // A new network announces its limit, a moment after it answers.
    await eventually(async () => (await diagnosis(site, asked, "--quick")).bad.length === 0);
    await fetch(`${service.url}/api/v1/stats`, { headers: { "X-Forwarded-For": "6.6.6.6" } });
    // It is read from GET /protection, whose answer may be a second old.
    await eventually(async () => (await diagnosis(site, asked, "--quick")).bad.length > 0);
    const behind = await diagnosis(site, asked, "--quick");
    assert.deepEqual([behind.code, behind.bad], [0, ["warning limits"]]);
    assert.match(behind.text, /CAIRN_TRUSTED_PROXIES/);
    await service.stop("SIGTERM");
    const changed = { ...asked, CAIRN_RATE_LIMIT_PER_MINUTE: "700" };
    const later = await diagnosis(site, changed, "--quick");
    assert.deepEqual([later.code, later.bad], [0, ["warning limits"]]);
    assert.match(later.text, /--rate-limit-per-minute 700/);
  });
}

test("a chain with a lost key in it is whole: for doctor, backup and export", async (t) => {
  const site = await used(t, "sqlite");
  rmSync(join(site.dataDir, "operator.key"));
  const lost = await site.run("key", "rotate", "--lost", "--json");
  const { new_pubkey } = JSON.parse(lost.out);
  const service = await site.start();
  const { get, post } = clientOf(service.url);
  // The seal that holds the rotation is the lost key's, with all that comes before it is made.
  await eventually(async () => (await get("/seal?limit=1")).body.unsealed.entries === 0);
  assert.equal((await post("/register")).status, 201);
  await eventually(async () => (await get("/seal?limit=1")).body.seals[0].pubkey === new_pubkey);
  await service.stop("SIGTERM");
  const found = await diagnosis(site);
  assert.deepEqual([found.code, found.bad], [0, ["warning seals"]], found.text);
  for (const command of ["backup", "export"]) {
    const { code, out } = await site.run(command, join(folderFor(t), "copy"));
    assert.equal(code, 0, out);
    assert.match(out, /The chain verifies\./);
  }
});

/** Runs SQL on a database of the tests' server. */
async function onDatabase(url: string, statement: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query(statement);
  await client.end();
}

test("several hosts without a synchronous standby may lose writes", async (t) => {
  const site = await used(t, "postgres");
  const { CAIRN_DATABASE_URL = "" } = site.variables;
  assert.deepEqual((await diagnosis(site, {}, "--quick")).bad, []);
  const twice = CAIRN_DATABASE_URL.replace(/@([^/?]*)/, "@$1,$1");
  const reported = await diagnosis(site, { CAIRN_DATABASE_URL: twice }, "--quick");
  assert.deepEqual([reported.code, reported.bad], [0, ["warning failover"]], reported.text);
});

test("a replica is compared with the database", async (t) => {
  const site = await used(t, "postgres");
  const own = site.variables["CAIRN_DATABASE_URL"] ?? "";
  const name = new URL(own).pathname.slice(1);
  const behind = postgresUrl(`${name}_copy`);
  await onDatabase(postgresUrl("postgres"), `CREATE DATABASE ${name}_copy TEMPLATE ${name}`);
  const service = await site.start();
  await clientOf(service.url).post("/register", { handle: "bob" });
  await sealed(service);
  await service.stop("SIGTERM");
  const [other, empty] = [await freshPostgres(), await emptyPostgres()];
  t.after(() => Promise.all([behind, other, empty].map(dropPostgres)));

  const expect = async (CAIRN_DATABASE_READ_URL: string, bad: readonly string[], says: RegExp) => {
    const found = await diagnosis(site, { CAIRN_DATABASE_READ_URL }, "--quick");
    assert.deepEqual(found.bad, bad, found.text);
    const findings: { about: string; text: string }[] = JSON.parse(found.text);
    assert.match(findings.find(({ about }) => about === "replica")?.text ?? "", says);
    assert.doesNotMatch(found.text, /5ecret/);
  };
  await expect(own, [], /^It answers, and has every entry/);
  await expect(behind, ["warning replica"], /had a moment ago: 1 of its entries/);
  await expect(other, ["fault replica"], /^Its entry 1 is another one/);
  await onDatabase(
    other,
    "INSERT INTO schema_migration (number, name, sha256) VALUES (9999, '9999-later', 'x')",
  );
  await expect(other, ["fault replica"], /^It has \d+ migrations, the database \d+/);
  await expect(empty, ["fault replica"], /^The database holds no ledger/);
  const nobody = "postgres://cairn:5ecret@127.0.0.1:1/cairn";
  await expect(nobody, ["fault replica"], /^The PostgreSQL database cannot be used: /);
});

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { dropPostgres, emptyPostgres } from "../../../test/database.ts";
import { eventually } from "../../../test/postgres-store.ts";
import { runCairn, startService } from "../../../test/process.ts";
import { clientOf, ENGINES, type Engine } from "../../../test/service.ts";
import { verifyJson } from "../../../test/verify-run.ts";

/** Settings of a service that nobody has started yet, and its commands. */
async function open(t: TestContext, engine: Engine, more: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "cairn-operator-"));
  const databaseUrl = engine === "postgres" ? await emptyPostgres() : "";
  const dataDir = join(folder, "data");
  const variables = {
    CAIRN_DATA_DIR: dataDir,
    CAIRN_DATABASE_URL: databaseUrl,
    CAIRN_ORIGIN: "operator.test",
    CAIRN_SEAL_INTERVAL_S: "1",
    ...more,
  };
  t.after(async () => {
    if (engine === "postgres") dropPostgres(databaseUrl);
    rmSync(folder, { recursive: true });
  });
  return {
    dataDir,
    cairn: (...args: string[]) => runCairn(args, variables),
    async serve() {
      const service = await startService(variables);
      t.after(() => service.stop("SIGKILL"));
      return { ...service, ...clientOf(service.url) };
    },
  };
}

for (const engine of ENGINES)
  test(`commands work beside a running service, which shows at once what they did [${engine}]`, async (t) => {
    const { cairn, serve, dataDir } = await open(t, engine);
    const early = await cairn("agent", "ban", "ada", "--reason", "-");
    assert.equal(early.code, 1);
    assert.match(early.err, /There is no network in this database.*cairn init/);
    assert.equal(existsSync(join(dataDir, "operator.key")), false, "nothing was begun by that");
    const { code, out } = await cairn("init", "--json");
    const { begun, origin, public_key: first } = JSON.parse(out);
    assert.deepEqual([code, begun, origin], [0, true, "operator.test"]);

    const { url, get, post } = await serve();
    const { token } = (await post("/register", { handle: "ada" })).body;
    const ban = ["agent", "ban", "ada", "--reason", "Spam."] as const;
    assert.deepEqual(await cairn(...ban), { code: 0, out: "ada is banned.\n", err: "" });
    assert.equal((await get("/me", { token })).body.error, "agent_banned");
    const again = await cairn(...ban, "--json");
    assert.deepEqual(JSON.parse(again.out), {
      ok: false,
      exit_code: 1,
      error: "This agent is banned already.",
    });
    assert.equal(again.code, 1);

    const rotated = await cairn("key", "rotate", "--json");
    const { new_pubkey, anchored } = JSON.parse(rotated.out);
    assert.deepEqual([rotated.code, anchored], [0, true]);
    assert.equal(existsSync(join(dataDir, "operator.key.1")), true);
    const signers = async () => {
      const { body } = await get("/seal");
      return new Set(body.seals.map(({ pubkey }: { pubkey: string }) => pubkey));
    };
    await eventually(async () => (await get("/verify")).body.public_key === new_pubkey);
    await post("/register");
    await eventually(async () => (await signers()).has(new_pubkey));
    assert.deepEqual([...(await signers())].sort(), [first, new_pubkey].sort());
    for (const depth of [[], ["--entries"]]) {
      const { exit_code, reasons } = await verifyJson([url, "--key", first, ...depth]);
      assert.deepEqual([exit_code, reasons], [0, []]);
    }
  });

test("init that comes late changes nothing, and begins where it is told", async (t) => {
  const { cairn, dataDir } = await open(t, "sqlite");
  assert.match((await cairn("init")).out, /^A network has begun\.\n {2}origin {2}operator\.test\n/);
  const key = readFileSync(join(dataDir, "operator.key"), "utf8");
  assert.match((await cairn("init")).out, /^This network has begun before; nothing was changed\./);
  assert.equal(readFileSync(join(dataDir, "operator.key"), "utf8"), key);
});

test("a command leaves the dev chain of the service alone", async (t) => {
  const chain = { CAIRN_DEV_CHAIN: "on", CAIRN_DEV_CHAIN_PORT: "0" };
  const { cairn, serve, dataDir } = await open(t, "sqlite", chain);
  await serve();
  const due = await cairn("market", "due", "--json");
  assert.deepEqual(JSON.parse(due.out), {
    ok: true,
    exit_code: 0,
    payouts: [],
    refunds: [],
    unmatched: [],
    doubts: [],
    chain: { unasked: null, isWhole: true, lines: [], others: [] },
  });
  const { url } = JSON.parse(readFileSync(join(dataDir, "dev-chain.json"), "utf8"));
  const answer = await fetch(url, { method: "POST", body: '{"action":"dev_accounts"}' });
  assert.equal(answer.status, 200);
});

test("wrong words are refused with what is right", async (t) => {
  const { cairn } = await open(t, "sqlite");
  const none = await cairn("agent", "bann", "ada");
  assert.equal(none.code, 2);
  assert.match(none.err, /no command "agent bann"\. Did you mean agent ban\?/);
  const missing = await cairn("agent", "ban", "ada");
  assert.equal(missing.code, 2);
  assert.match(missing.err, /--reason is missing\. See `cairn agent ban --help`\./);
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  const node = process.version.slice(1);
  const out = `cairn ${version}, protocol 1, Node ${node}\n`;
  assert.deepEqual(await cairn("--version"), { code: 0, out, err: "" });
  const help = await cairn("market", "refund", "--help");
  assert.equal(help.code, 0);
  assert.match(help.out, /^usage: cairn market refund ID --txid TEXT \[--currency/);
});

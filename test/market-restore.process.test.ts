import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { agentById } from "../src/domains/identity/queries.ts";
import { placeOrder } from "../src/domains/market/orders/orders.ts";
import { watchPayments } from "../src/domains/market/payments/payment-watcher.ts";
import type { Handled } from "../src/domains/market/payments/scan.ts";
import { orderById } from "../src/domains/market/queries.ts";
import { openService, type Service } from "../src/main/service/open-service.ts";
import { readConfiguration } from "../src/main/settings/settings.ts";
import { accountText } from "../src/platform/chain/account.ts";
import { DAY_S } from "../src/platform/kernel/time.ts";
import { entriesOfKind } from "../src/platform/ledger/entry-queries.ts";
import { dev } from "./chain-service.ts";
import { dropPostgres, emptyPostgres } from "./database.ts";
import { eachMarket, type Market } from "./market-service.ts";
import { operate, refuses } from "./operator.ts";
import { runHere, spawnCairn } from "./process.ts";
import type { TestAgent } from "./service.ts";
import { statement } from "./statement.ts";

const [ORDERS, PAID] = [18, 12];
/** A recording is killed when at least so many payouts are recorded. */
const RECORDED_AT_KILLS = [1, 4, 7];
/** A restore is killed after so long, and each time after so many times as long. */
const [FIRST_KILL_MS, LONGER] = [100, 1.6];
const BOB = accountText(dev("bob").key);

/** The settings of a database, for a process of its own. */
const placeOf = ({ configuration: { dataDir, databaseUrl } }: Pick<Market, "configuration">) => ({
  CAIRN_DATA_DIR: dataDir,
  CAIRN_DATABASE_URL: databaseUrl ?? "",
});

/** Orders whose sellers are owed the same each, and their ids. */
async function owedOrders(market: Market): Promise<number[]> {
  await market.seller.post("/market/payout-address", { address: BOB });
  market.pass(DAY_S);
  await market.watch();
  const offer_id = await market.offer();
  const ids: number[] = [];
  while (ids.length < ORDERS) {
    const { id } = await market.delivered(offer_id);
    assert.equal((await market.buyer.post("/market/accept", { order_id: id })).status, 200);
    ids.push(id);
  }
  return ids;
}

const lines = (text: string, words: RegExp): number =>
  text.split("\n").filter((line) => words.test(line)).length;

eachMarket("after a restore what was paid is marked, and recorded once", async (market) => {
  const ids = await owedOrders(market);
  const folder = mkdtempSync(join(tmpdir(), "cairn-restore-"));
  const file = join(folder, "backup");
  await market.seal();
  const backup = await runHere(["backup", file], placeOf(market));
  assert.equal(backup.code, 0, backup.err);
  const sent = await payAll(market, ids.slice(0, PAID));

  const databaseUrl = market.engine === "postgres" ? await emptyPostgres() : "";
  const dataDir = join(folder, "data");
  const place = { CAIRN_DATA_DIR: dataDir, CAIRN_DATABASE_URL: databaseUrl };
  const kills = await restoreThroughKills(file, place);
  assert.ok(kills >= 2, `${kills} restores were killed`);
  const service = await openService(readConfiguration({ ...place, CAIRN_LOG_LEVEL: "silent" }), {
    baseUrl: "http://127.0.0.1:8080",
    alarm: () => {},
    clock: { now: market.context.clock.now, monotonic_s: market.context.clock.now },
  });
  try {
    const { chain, settings } = market.context;
    const own = { ...service, context: { ...service.context, chain, settings } };
    const running = { url: market.payers.nodes[0]?.url, base_url: "http://127.0.0.1:8080" };
    writeFileSync(join(dataDir, "dev-chain.json"), JSON.stringify(running));
    // The tests' market joins its chain by hand; a process of its own asks the database which it is.
    await service.store.write((tx) =>
      tx.run(statement("UPDATE chain_network SET network = 'dev'"), []),
    );
    await checkRestored(own, market, { ids, sent, place });
  } finally {
    await service.close();
    if (databaseUrl !== "") dropPostgres(databaseUrl);
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Sends the parts of some orders and records them; the hashes. */
async function payAll(market: Market, ids: readonly number[]): Promise<string[]> {
  const hashes: string[] = [];
  for (const id of ids) {
    const { payout } = await market.seen(market.seller, id);
    market.send(2n * BigInt(payout.amount_raw));
    const { wallet } = market.payers.chain;
    const { hash } = wallet.send(dev("escrow"), dev("bob").key, BigInt(payout.amount_raw));
    const service = { ...market.service, context: market.context };
    await operate(service, "market payout", String(id), "--txid", hash);
    hashes.push(hash);
  }
  return hashes;
}

type Place = Readonly<Record<string, string>>;

interface Before {
  /** The settings of the restored database. */
  readonly place: Place;
  readonly ids: readonly number[];
  readonly sent: readonly string[];
}

async function checkRestored(
  service: Service,
  market: Market,
  { ids, sent, place }: Before,
): Promise<void> {
  const first = await operate(service, "market due");
  assert.equal(lines(first.text, /^payout {2}order/), ORDERS);
  assert.equal(lines(first.text, /already sent/), PAID, first.text);
  const txid = sent[0] ?? "";
  await refuses(service, ["market payout", String(ids[0]), "--txid", txid], /has not been read/);
  const order = () => orderBy(market.buyer, service);
  await assert.rejects(order(), { code: "chain_unavailable" });
  market.pass(1);
  const handled: Handled = new Map();
  await watchPayments(service.context, handled);
  const next = Math.max(...ids) + 1_000_000;
  assert.deepEqual([await order(), await order()], [next, next + 1], "lost orders keep theirs");

  const recorded = async () => {
    const orders = ids.map((id) => orderById.first(service.context.read, { id }));
    return (await Promise.all(orders)).filter((order) => order?.state === "paid_out").length;
  };
  let done = 0;
  for (const least of RECORDED_AT_KILLS) {
    await killOnce(place, async () => (await recorded()) >= Math.max(least, done + 1));
    done = await recorded();
    assert.ok(done >= least && done < PAID, `it was killed after ${done} of ${PAID}`);
    const due = await operate(service, "market due");
    assert.equal(lines(due.text, /already sent/), PAID - done, "what is recorded is due no more");
  }
  const recording = await operate(service, "market due", "--record");
  assert.equal(lines(recording.text, /^recorded: market payout/), PAID - done);
  const last = await operate(service, "market due");
  assert.equal(lines(last.text, /^payout {2}order/), ORDERS - PAID);
  assert.equal(lines(last.text, /already sent/), 0);
  assert.equal(await recorded(), PAID);
  assert.deepEqual((await sealedPayouts(service)).toSorted(), sent.toSorted(), "each one once");
}

/** The transfers of all payouts that the ledger tells. */
async function sealedPayouts({ context }: Service): Promise<unknown[]> {
  const rows = await entriesOfKind.all(context.read, { kind: "payout" });
  return rows.map(({ body }) => JSON.parse(body).txid);
}

/** An order of the first offer; its id. */
async function orderBy({ agent_id }: TestAgent, { context }: Service): Promise<number> {
  const agent = await agentById.first(context.read, { agent_id });
  assert.ok(agent);
  return placeOrder({ ...context, agent }, { offer_id: 1 });
}

/** Records what was sent, in a process of its own that is killed when `isDue`. */
async function killOnce(place: Place, isDue: () => Promise<boolean>): Promise<void> {
  const child = spawnCairn(["market", "due", "--record"], { ...place, CAIRN_DEV_CHAIN: "on" });
  const gone = once(child, "close");
  while (child.exitCode === null && !(await isDue())) await setTimeout(1);
  child.kill("SIGKILL");
  const [, signal] = await gone;
  assert.equal(signal, "SIGKILL");
}

/**
 * Restores in processes that are killed later and later, until one ends by itself or had stored
 * everything before it was killed. Returns how many were killed.
 */
async function restoreThroughKills(file: string, place: Place): Promise<number> {
  for (let kills = 0; ; kills++) {
    const child = spawnCairn(["restore", file, "--without-key"], place);
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk) => (printed += chunk));
    const gone = once(child, "close");
    const timer = globalThis.setTimeout(
      () => child.kill("SIGKILL"),
      FIRST_KILL_MS * LONGER ** kills,
    );
    const [code, signal] = await gone;
    clearTimeout(timer);
    if (signal === "SIGKILL") continue;
    if (code !== 0) assert.match(printed, /already/, "the last one stored everything");
    else assert.match(printed, /run `cairn market due`/);
    const { CAIRN_DATA_DIR: dataDir = "" } = place;
    assert.deepEqual(
      readdirSync(dataDir).filter((name) => name.includes("unfinished")),
      [],
    );
    return kills;
  }
}

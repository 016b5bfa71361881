import { setTimeout } from "node:timers/promises";
import { watchPayments } from "../src/domains/market/payments/payment-watcher.ts";
import { type Bench, type Figure, rateFigure, spread } from "./figure.ts";
import { call, dataFolder, inParallel, openNetwork, register, seal } from "./fill.ts";
import { type Cairn, startCairn } from "./processes.ts";
import { get } from "./requests.ts";

const AGENTS = 1_000;
const OFFERS = 100_000;
/** Each waits for its payment while the watcher is measured. */
const INVOICES = 10_000;
const ROWS_PER_SEAL = 8_192;

const LIST = "/api/v1/market?limit=50";
const READ_FLOOR = 0.7;

const WATCHER_MAX_PERCENT = 5;
const WATCHED_MS = 5_000;

/** The list of a large market, and what it costs to wait for many payments at once. */
export async function market(bench: Bench): Promise<Figure[]> {
  const dataDir = await fillMarket();
  const cairn = await startCairn(dataDir, ["--dev-chain"]);
  await cairn.settled();
  const requests = [get(LIST)];
  const bare = { port: await bench.bare(await cairn.read(LIST)), requests };
  const ours = { port: cairn.port, requests };
  const figures = [
    await rateFigure(bench, { name: "GET /market?limit=50, hot", limit: READ_FLOOR }, ours, bare),
    await watching(cairn, bench.rounds),
  ];
  await cairn.stop();
  return figures;
}

/**
 * The whole of an idle service counts, the dev chain in the same process too, which is looked at
 * every second: ten times as often as a live one.
 */
async function watching(cairn: Cairn, rounds: number): Promise<Figure> {
  const percents: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const used_s = cairn.cpu_s();
    const began_ms = performance.now();
    await setTimeout(WATCHED_MS);
    const passed_s = (performance.now() - began_ms) / 1_000;
    percents.push(((cairn.cpu_s() - used_s) / passed_s) * 100);
  }
  return {
    name: `an idle service with ${INVOICES.toLocaleString("en")} open invoices`,
    unit: "% of a core",
    ...spread(percents),
    bound: "at most",
    limit: WATCHER_MAX_PERCENT,
  };
}

/** Fills a folder through the handlers, on a dev chain; all of it is sealed. */
async function fillMarket(): Promise<string> {
  const dataDir = dataFolder();
  const service = await openNetwork(dataDir, { CAIRN_DEV_CHAIN: "on", CAIRN_DEV_CHAIN_PORT: "0" });
  const { agents } = await register(service, AGENTS);
  const by = (i: number) => agents[i % agents.length] ?? null;
  for (let done = 0; done < OFFERS; done += ROWS_PER_SEAL) {
    await inParallel(Math.min(ROWS_PER_SEAL, OFFERS - done), async (i) => {
      const number = done + i;
      await call(service, by(number), "market.offer", {
        capability: `capability ${number % 100}`,
        title: `Offer ${number}: whatever you send, in three sentences`,
        description: "Send a text and get the three sentences that say what it says. ".repeat(4),
        price_usd: 2_000_000n,
        sla_hours: 72,
      });
    });
    await seal(service, 1);
  }
  await watchPayments(service.context, new Map()); // An order is taken only while payments are seen.
  await inParallel(INVOICES, async (i) => {
    await call(service, by(i), "market.order", { offer_id: i + 2 });
  });
  await seal(service, 1);
  await service.close();
  return dataDir;
}

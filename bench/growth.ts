import { statSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "../src/platform/kernel/contract/calls.ts";
import type { discovery } from "../src/surfaces/describe/catalogue.ts";
import { type Bench, type Figure, memoryFigure, rateFigure, spread } from "./figure.ts";
import { fill, keptFill, type Timed } from "./fill.ts";
import { startCairn } from "./processes.ts";
import { isAddressable, newReads, ownRead, post } from "./requests.ts";

const ENTRIES_MIN = 10_000;
const KEPT_MIN = 0.7;
/** What an agent reads of itself must not depend on how much it has written. */
const OWN_MIN = 0.8;
/** A queue is read by 16 queries, `/me` by as many. */
const QUEUE_MIN = 0.5;
const FILL_PER_S = 10_000;
/** 428 with 100,000 entries, 460 with 10,000,000 of 100,000 agents: their indexes have emptier pages. */
const POST_MAX_BYTES = 480;

/** Every public read, and a write, on a large ledger against the same on a small one. */
export async function growth(bench: Bench): Promise<Figure[]> {
  const { kept, entries_max } = bench;
  const filled = (entries: number) => (kept === null ? fill(entries) : keptFill(kept, entries));
  const small = await filled(ENTRIES_MIN);
  const large = await filled(entries_max);
  const figures = sizeFigures(large, entries_max);
  const little = await startCairn(small.dataDir);
  const big = await startCairn(large.dataDir);
  figures.push(startFigure(entries_max, big.started_ms));
  await Promise.all([little.settled(), big.settled()]);
  const { routes }: Answer<typeof discovery.catalogue> = JSON.parse(await big.read("/api/v1"));
  const reads = routes
    .filter(({ method, token }) => method === "GET" && token === "no")
    .filter(({ path }) => path.startsWith("/api/v1"))
    .filter(({ path }) => isAddressable(path.replace(/^\/api\/v1/, "")));

  const size = `${counted(entries_max)} against ${counted(ENTRIES_MIN)}`;
  for (const { path } of reads) {
    const route = path.replace(/^\/api\/v1/, "");
    const ours = { port: big.port, requests: newReads(route, large) };
    const other = { port: little.port, requests: newReads(route, small) };
    const name = `GET ${route || "/"}, ${size}`;
    figures.push(await rateFigure(bench, { name, limit: KEPT_MIN }, ours, other));
  }
  const [many = "", none = ""] = [large.tokens[0], large.tokens.at(-1)];
  const own = (route: string, token: string) => ({
    port: big.port,
    requests: [ownRead(route, token)],
  });
  const prolific = { name: "GET /me, an agent with one of 128 posts against one with none" };
  const queue = { name: "GET /queue against GET /me, where nothing waits" };
  figures.push(
    await rateFigure(bench, { ...prolific, limit: OWN_MIN }, own("/me", many), own("/me", none)),
    await rateFigure(bench, { ...queue, limit: QUEUE_MIN }, own("/queue", none), own("/me", none)),
  );
  const ours = { port: big.port, requests: large.tokens.slice(0, 32).map(post) };
  const other = { port: little.port, requests: small.tokens.slice(0, 32).map(post) };
  const name = `POST /post, ${size}`;
  figures.push(await rateFigure(bench, { name, limit: KEPT_MIN }, ours, other));
  const memory = memoryFigure(`${counted(entries_max)} and the load above`, big.memory_mb());
  figures.push(entries_max > KEPT_TREES_ENTRIES ? { ...memory, limit: LARGE_MAX_MB } : memory);
  await Promise.all([little.stop(), big.stop()]);
  return figures;
}

const counted = (entries: number): string => `${entries.toLocaleString("en")} entries`;

/** What it took to fill a ledger, and what it takes on the disk. */
function sizeFigures({ dataDir, posts, fill_s }: Timed, entries: number): Figure[] {
  const bytes = statSync(join(dataDir, "cairn.db")).size / posts;
  return [
    {
      name: `fill, ${counted(entries)}`,
      unit: "s",
      ...spread([fill_s]),
      bound: "at most",
      limit: entries / FILL_PER_S,
    },
    {
      name: `the database for each post, ${counted(entries)}`,
      unit: "B",
      ...spread([bytes]),
      bound: "at most",
      limit: POST_MAX_BYTES,
    },
  ];
}

/** Of a larger ledger the trees that proofs keep take up to 48 MiB. */
const KEPT_TREES_ENTRIES = 2_000_000;
const LARGE_MAX_MB = 300;

const START_MAX_S = 2;

const startFigure = (entries: number, started_ms: number): Figure => ({
  name: `start to first answer, ${counted(entries)}`,
  unit: "s",
  ...spread([started_ms / 1_000]),
  bound: "at most",
  limit: START_MAX_S,
});

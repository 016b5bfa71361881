import type { Answer } from "../src/kernel/calls.ts";
import type { discovery } from "../src/surfaces/describe/catalogue.ts";
import { type Bench, type Figure, memoryFigure, rateFigure } from "./figure.ts";
import { fill } from "./fill.ts";
import { startCairn } from "./processes.ts";
import { isAddressable, newReads, post } from "./requests.ts";

const ENTRIES_MIN = 10_000;
const KEPT_MIN = 0.7;

/** Every public read, and a write, on a large ledger against the same on a small one. */
export async function growth(bench: Bench): Promise<Figure[]> {
  const [small, large] = [await fill(ENTRIES_MIN), await fill(bench.entries_max)];
  const [little, big] = [await startCairn(small.dataDir), await startCairn(large.dataDir)];
  await Promise.all([little.settled(), big.settled()]);
  const { routes }: Answer<typeof discovery.catalogue> = JSON.parse(await big.read("/api/v1"));
  const reads = routes
    .filter(({ method, token }) => method === "GET" && token === "no")
    .filter(({ path }) => path.startsWith("/api/v1"))
    .filter(({ path }) => isAddressable(path.replace(/^\/api\/v1/, "")));

  const size = `${counted(bench.entries_max)} against ${counted(ENTRIES_MIN)}`;
  const figures = [];
  for (const { path } of reads) {
    const route = path.replace(/^\/api\/v1/, "");
    const ours = { port: big.port, requests: newReads(route, large) };
    const other = { port: little.port, requests: newReads(route, small) };
    const name = `GET ${route || "/"}, ${size}`;
    figures.push(await rateFigure(bench, { name, limit: KEPT_MIN }, ours, other));
  }
  const ours = { port: big.port, requests: large.tokens.slice(0, 32).map(post) };
  const other = { port: little.port, requests: small.tokens.slice(0, 32).map(post) };
  const name = `POST /post, ${size}`;
  figures.push(await rateFigure(bench, { name, limit: KEPT_MIN }, ours, other));
  figures.push(memoryFigure(`${counted(bench.entries_max)} and the load above`, big.memory_mb()));
  await Promise.all([little.stop(), big.stop()]);
  return figures;
}

const counted = (entries: number): string => `${entries.toLocaleString("en")} entries`;

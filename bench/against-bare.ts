import { type Bench, type Figure, memoryFigure, rateFigure } from "./figure.ts";
import { fill } from "./fill.ts";
import { startCairn } from "./processes.ts";
import { addressOf, get, NEW_POST, newReads, post, randomReads } from "./requests.ts";

/** 100,000 of them posts. */
const ENTRIES = 102_000;

const FEED = "/api/v1/feed?limit=50";

/** The service against a bare node:http server that parses what comes and sends the same bytes. */
export async function againstBare(bench: Bench): Promise<Figure[]> {
  const filled = await fill(ENTRIES);
  const cairn = await startCairn(filled.dataDir);
  await cairn.settled();
  const readsOf = (route: string) => {
    const shows = addressOf(route, filled);
    return [
      { name: `GET ${route}, hot`, limit: 0.5, shows, requests: [get(shows)] },
      { name: `GET ${route}, random`, limit: 0.3, shows, requests: randomReads(route, filled) },
      { name: `GET ${route}, each once`, limit: 0.05, shows, requests: newReads(route, filled) },
    ];
  };
  const reads = [
    { name: "GET /feed?limit=50, hot", limit: 0.75, shows: FEED, requests: [get(FEED)] },
    ...readsOf("/agent/{agent_id}"),
    ...readsOf("/seal/proof"),
  ];
  const author = cairn.network.withToken(filled.tokens[0] ?? "");
  const write = {
    name: "POST /post, durable and in the ledger",
    limit: 0.15,
    requests: filled.tokens.slice(0, 32).map(post),
    answer: JSON.stringify(await author.post.create(NEW_POST)),
  };

  const cases = [];
  for (const read of reads) cases.push({ ...read, answer: await cairn.read(read.shows) });
  const figures = [];
  for (const { name, limit, requests, answer } of [...cases, write]) {
    const bare = { port: await bench.bare(answer), requests };
    figures.push(await rateFigure(bench, { name, limit }, { port: cairn.port, requests }, bare));
  }
  figures.push(memoryFigure("100,000 posts and the load above", cairn.memory_mb()));
  await cairn.stop();
  return figures;
}

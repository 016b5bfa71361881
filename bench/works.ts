import { type Bench, type Figure, rateFigure } from "./figure.ts";
import { fillWorks } from "./fill-works.ts";
import { startCairn } from "./processes.ts";
import { BODY_SERIAL, get, postTo } from "./requests.ts";

/** Rows of each kind; more than all rounds judge claims. */
const ROWS = 120_000;
const COMMITS = 100;
const PAGE_BYTES = 100_000;

/** Recipients of each sender: an unread inbox has bounds, so what is sent is spread over many. */
const CORRESPONDENTS = 8;

const READ_FLOOR = 0.5;

/** What agents do on the network, among over 100,000 others of its kind, against a bare server. */
export async function works(bench: Bench): Promise<Figure[]> {
  const filled = await fillWorks({ rows: ROWS, commits: COMMITS, page_bytes: PAGE_BYTES });
  const cairn = await startCairn(filled.dataDir);
  await cairn.settled();
  const repo = `/api/v1/repo/${filled.repo_id}`;
  const reads = [
    { name: "GET /repo/{id} with 100 commits, hot", path: repo },
    { name: "GET /claims?limit=50, hot", path: "/api/v1/claims?limit=50" },
    { name: "GET /repos?limit=50, hot", path: "/api/v1/repos?limit=50" },
    { name: "GET /app/{slug}, 100 KB, hot", path: `/app/${filled.slug}` },
  ];
  const authors = filled.tokens.slice(0, 32);
  const writers = filled.tokens.slice(32, 64);
  const box = "hpke1.".padEnd(700, "A");
  const commit = { repo_id: filled.repo_id, summary: "A step forward.", hash: "0123456789abcdef" };
  const verdict = { claim_id: BODY_SERIAL, outcome: "true", evidence: "I looked at it." };
  const writes = [
    { path: "/repo/commit", limit: 0.12, tokens: authors, body: commit },
    { path: "/claim/resolve", limit: 0.06, tokens: writers, body: verdict },
  ];

  const figures = [];
  for (const { name, path } of reads) {
    const requests = [get(path)];
    const bare = { port: await bench.bare(await cairn.read(path)), requests };
    const ours = { port: cairn.port, requests };
    figures.push(await rateFigure(bench, { name, limit: READ_FLOOR }, ours, bare));
  }
  for (const { path, limit, tokens, body } of writes) {
    const name = `POST ${path}`;
    const requests = tokens.map((token) => postTo(path, token, body));
    const sample = { ...body, claim_id: 1 };
    const answer = await cairn.write(path, authors[0] ?? "", sample);
    const bare = { port: await bench.bare(answer), requests };
    const ours = { port: cairn.port, requests };
    figures.push(await rateFigure(bench, { name, limit }, ours, bare));
  }
  const letter = (i: number, step: number) => ({
    to: filled.agent_ids[(i + step) % filled.agent_ids.length],
    box,
  });
  const requests = Array.from({ length: CORRESPONDENTS }, (_, step) =>
    filled.tokens.map((token, i) => postTo("/dm", token, letter(i, step + 1))),
  ).flat();
  const answer = await cairn.write("/dm", filled.tokens[0] ?? "", letter(0, 1));
  const bare = { port: await bench.bare(answer), requests };
  const ours = { port: cairn.port, requests };
  figures.push(await rateFigure(bench, { name: "POST /dm", limit: 0.18 }, ours, bare));
  await cairn.stop();
  return figures;
}

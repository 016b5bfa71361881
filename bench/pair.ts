import { cpSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { compare, spread } from "./figure.ts";
import { dataFolder } from "./fill.ts";
import { type Cairn, startCairn, startTools } from "./processes.ts";
import { BODY_SERIAL, get, newReads, post, postTo } from "./requests.ts";

// This checkout beside another one, such as the last release: `npm run bench:pair -- <checkout>`. Both
// serve copies of one data folder, which the other checkout fills, and are measured in turns. A ratio
// is ours by the other's: answers a second, and CPU time of the service for each answer. Work that
// a write leaves behind (seals, their check, the index of words) is in its CPU time: the clock stops when the
// service is quiet again, and seals are made every second.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    "duration-ms": { type: "string", default: "2000" },
    setting: { type: "string", multiple: true, default: [] },
    only: { type: "string", default: "" },
  },
});
const [path] = positionals;
if (path === undefined)
  throw new Error("Usage: node bench/pair.ts <checkout> [--rounds N] [--only CASE]");
const other = pathToFileURL(`${resolve(path)}/`);
const rounds = Number(values.rounds);
const duration_ms = Number(values["duration-ms"]);

const { fillWorks }: typeof import("./fill-works.ts") = await import(
  new URL("bench/fill-works.ts", other).href
);
const { openNetwork, publish, seal }: typeof import("./fill.ts") = await import(
  new URL("bench/fill.ts", other).href
);
const { authenticate }: typeof import("../src/domains/identity/tokens.ts") = await import(
  new URL("src/domains/identity/tokens.ts", other).href
);
const filled = await fillWorks({ rows: 30_000, commits: 100, page_bytes: 100_000 });
// Agents that have written before: the newest rows of two of them lie far apart in an index by agent.
const service = await openNetwork(filled.dataDir);
const agents = await Promise.all(
  filled.tokens.map((token) => authenticate(service.context, token)),
);
await publish(service, agents, 60_000);
await seal(service, 1);
await service.close();
const copy = dataFolder();
cpSync(filled.dataDir, copy, { recursive: true });
const flags = ["--seal-interval-s", "1", ...values.setting.flatMap((each) => each.split(" "))];
const ours = await startCairn(copy, flags);
const theirs = await startCairn(filled.dataDir, flags, other);
for (const each of [ours, theirs]) await each.settled();
// A newer version may have entries to move, or words to index.
for (const each of [ours, theirs]) await each.quiet();

const tokens = filled.tokens.slice(0, 32);
const known = { posts: 1, ...filled, agent_ids: agents.map(({ agent_id }) => agent_id) };
const commit = { repo_id: filled.repo_id, summary: "A step forward.", hash: "0123456789abcdef" };
const files = ["a", "b", "c"].map((name) => ({
  path: `src/${name}.txt`,
  text: `The file ${name}, for the time ${BODY_SERIAL}.`,
}));
const verdict = { claim_id: BODY_SERIAL, outcome: "true", evidence: "I looked at it." };
const claim = { statement: "The sum of the first hundred primes is 24133." };
const writes = (at: string, fields: object, by = tokens) =>
  by.map((token) => postTo(at, token, fields));
const CASES: Readonly<Record<string, readonly string[]>> = {
  "POST /post": tokens.map(post),
  "POST /post, a reply": writes("/post", { body: "I have looked at it.", reply_to: 1 }),
  "POST /claim": writes("/claim", claim),
  "POST /claim/resolve": writes("/claim/resolve", verdict, filled.tokens.slice(32, 64)),
  "POST /repo/commit": writes("/repo/commit", commit),
  "POST /repo/commit, 3 files": writes(
    "/repo/commit",
    { ...commit, files },
    filled.tokens.slice(0, 1),
  ),
  "GET /feed, hot": [get("/api/v1/feed?limit=50")],
  "GET /repo/{id}, hot": [get(`/api/v1/repo/${filled.repo_id}`)],
  "GET /agent/{id}, each once": newReads("/agent/{agent_id}", known),
};

const tools = startTools();
const rows: Record<string, object> = {};
const shown = ({ value, min, max }: ReturnType<typeof spread>) =>
  `${value.toFixed(3)} (${min.toFixed(2)} to ${max.toFixed(2)})`;
const cases = Object.entries(CASES).filter(([name]) => name.startsWith(values.only));
for (const [name, requests] of cases) {
  const cpu = new Map<Cairn, number[]>([ours, theirs].map((each) => [each, []]));
  const measure = (cairn: Cairn) => async () => {
    const before_s = cairn.cpu_s();
    const { per_s } = await tools.load({ port: cairn.port, requests, duration_ms });
    await cairn.quiet();
    // The warm-up of 0.3 s is in both sides' time.
    cpu.get(cairn)?.push((cairn.cpu_s() - before_s) / per_s);
    return per_s;
  };
  const rates = await compare(rounds, { ours: measure(ours), other: measure(theirs) });
  const own = cpu.get(ours) ?? [];
  const before = cpu.get(theirs) ?? [];
  const each = spread(own.map((used, round) => used / (before[round] ?? Number.NaN)));
  rows[name] = { ratio: shown(rates.ratio), "CPU per answer": shown(each) };
}
tools.stop();
rows["memory"] = { ratio: (ours.memory_mb() / theirs.memory_mb()).toFixed(3) };
rows["start"] = { ratio: (ours.started_ms / theirs.started_ms).toFixed(3) };
await Promise.all([ours.stop(), theirs.stop()]);
console.table(rows);

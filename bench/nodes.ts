import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { dataFolder, openNetwork, register } from "./fill.ts";
import { startPostgres } from "./postgres.ts";
import { type Cairn, startCairn, startTools, usedOf } from "./processes.ts";
import { post } from "./requests.ts";

// What a post costs on PostgreSQL, for one node and for several: `npm run bench:nodes`. With `--checkout`
// another one serves, such as the last release. All of it runs on this machine, so posts a second are
// bounded by its cores. The CPU of a post is what counts: a database with C cores of its own takes
// C * 1,000,000 / server_us posts a second, and that takes posts * node_us / 1,000,000 nodes of one core.

const { values } = parseArgs({
  options: {
    checkout: { type: "string", default: "." },
    "duration-ms": { type: "string", default: "4000" },
    nodes: { type: "string", default: "1,2,3" },
    connections: { type: "string", default: "48,192" },
    rounds: { type: "string", default: "3" },
  },
});
const checkout = pathToFileURL(`${resolve(values.checkout)}/`);
const duration_ms = Number(values["duration-ms"]);
const numbers = (text: string) => text.split(",").map(Number);
const AGENTS = 192;
const MICRO = 1_000_000;
/** The load warms up so long before it counts; the processes work then, too. */
const WARM_UP_S = 0.3;

const server = await startPostgres();
process.once("SIGINT", () => void server.stop().then(() => process.exit(130)));
const dataDir = dataFolder();
const settings = { CAIRN_DATABASE_URL: server.url };
const filling = await openNetwork(dataDir, settings);
const { tokens } = await register(filling, AGENTS);
await filling.close();

/** One measurement; the CPU is that of one post. */
interface Round {
  readonly per_s: number;
  readonly node_us: number;
  readonly server_us: number;
  readonly load_us: number;
}

/** CPU seconds of all processes of PostgreSQL. */
function serverUsed_s(): number {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids
    .filter((pid) => nameOf(pid) === "postgres")
    .reduce((sum, pid) => sum + (usedOf(Number(pid)) || 0), 0);
}

function nameOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return ""; // It has ended.
  }
}

const median = (list: readonly number[]): number =>
  list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;

const rows: Record<string, object> = {};
for (const nodes of numbers(values.nodes)) {
  const flags = ["--database-url", server.url];
  const folders = Array.from({ length: nodes }, (_, i) => (i === 0 ? dataDir : dataFolder()));
  const tools = folders.map(startTools);
  const cairns: Cairn[] = [];
  for (const folder of folders) cairns.push(await startCairn(folder, flags, checkout));
  for (const connections of numbers(values.connections)) {
    const requests = tokens.slice(0, connections).map(post);
    const each = { requests, duration_ms, connections: Math.ceil(connections / nodes) };
    const rounds: Round[] = [];
    for (let round = 0; round < Number(values.rounds); round++) {
      const nodesUsed_s = () => cairns.reduce((sum, cairn) => sum + cairn.cpu_s(), 0);
      const server_s = serverUsed_s();
      const node_s = nodesUsed_s();
      const tallies = await Promise.all(
        cairns.map(({ port }, i) => tools[i]?.load({ port, ...each }) ?? { per_s: 0, busy: 0 }),
      );
      const per_s = tallies.reduce((sum, tally) => sum + tally.per_s, 0);
      const load_s = tallies.reduce((sum, tally) => sum + tally.busy, 0);
      const posts = per_s * (duration_ms / 1_000 + WARM_UP_S);
      rounds.push({
        per_s,
        load_us: (load_s * MICRO) / per_s,
        node_us: ((nodesUsed_s() - node_s) * MICRO) / posts,
        server_us: ((serverUsed_s() - server_s) * MICRO) / posts,
      });
    }
    const of = (key: keyof Round) => Math.round(median(rounds.map((round) => round[key])));
    rows[`${nodes} nodes, ${connections} connections`] = {
      "posts/s": of("per_s"),
      node_us: of("node_us"),
      server_us: of("server_us"),
      load_us: of("load_us"),
    };
  }
  for (const cairn of cairns) await cairn.stop();
  for (const each of tools) each.stop();
}
await server.stop();
console.table(rows);

import { Client, type ClientConfig } from "pg";
import type { Agent } from "../src/platform/context.ts";
import { days } from "../src/platform/kernel/time.ts";
import { type Bench, compare, type Figure, rateFigure } from "./figure.ts";
import { call, dataFolder, inParallel, openNetwork, register, seal } from "./fill.ts";
import { startPostgres } from "./postgres.ts";
import { type Cairn, startCairn } from "./processes.ts";
import { postTo } from "./requests.ts";

/** Each is in a repository of its own, and has earned what a day may bring. */
const AGENTS = 4_000;
const REWARDS_A_DAY = 10;
const MATURED_DAYS = 21;

const SENDS = 4_096;
const CLIENTS = 16;

/** So that no round runs out of agents whose day is still to come. */
const GRANTS_MS = 400;
const AGENTS_A_ROUND = 700;

const SEND_FLOOR = 0.07;
const SEND_FLOOR_POSTGRES = 0.3;
const GRANT_FLOOR = 0.45;

interface Filled {
  readonly agents: readonly Agent[];
  readonly tokens: readonly string[];
  /** Of each agent. */
  readonly repo_ids: readonly number[];
}

/** Transfers and rewards, on both engines. */
export async function coin(bench: Bench): Promise<Figure[]> {
  const dataDir = dataFolder();
  const filled = await fillCoins(dataDir, {});
  const cairn = await startCairn(dataDir);
  await cairn.settled();
  const sends = randomSends(filled);
  const [sent] = filled.agents;
  const to = { to: sent?.agent_id, amount: "0.000001" };
  const answer = await cairn.write("/coin/send", filled.tokens[1] ?? "", to);
  const bare = { port: await bench.bare(answer), requests: sends };
  const name = "POST /coin/send between random agents";
  const figures = [
    await rateFigure(
      bench,
      { name, limit: SEND_FLOOR },
      { port: cairn.port, requests: sends },
      bare,
    ),
    await grants(bench, cairn, filled, "SQLite"),
  ];
  await cairn.stop();
  return [...figures, ...(await coinOnPostgres(bench))];
}

async function coinOnPostgres(bench: Bench): Promise<Figure[]> {
  const server = await startPostgres();
  try {
    const dataDir = dataFolder();
    const filled = await fillCoins(dataDir, { CAIRN_DATABASE_URL: server.url });
    const cairn = await startCairn(dataDir, ["--database-url", server.url]);
    await cairn.settled();
    const bare = await twoRowTransfers(server.url);
    const order = { port: cairn.port, requests: randomSends(filled), connections: CLIENTS };
    const { duration_ms } = bench;
    const rates = await compare(bench.rounds, {
      ours: async () => (await bench.load({ ...order, duration_ms })).per_s,
      other: () => bare.measure(duration_ms),
    });
    await bare.end();
    const name = `POST /coin/send on PostgreSQL, ${CLIENTS} clients, against two updated rows`;
    const figures = [
      figureOf(name, SEND_FLOOR_POSTGRES, rates),
      await grants(bench, cairn, filled, "PostgreSQL"),
    ];
    await cairn.stop();
    return figures;
  } finally {
    await server.stop();
  }
}

/** Commits that are rewarded against commits of agents whose day is used up. */
async function grants(
  bench: Bench,
  cairn: Cairn,
  { tokens, repo_ids }: Filled,
  engine: string,
): Promise<Figure> {
  const commit = { summary: "A step forward." };
  const by = (i: number) =>
    postTo("/repo/commit", tokens[i] ?? "", { repo_id: repo_ids[i], ...commit });
  const rateOf = async (requests: readonly string[]) => {
    const order = { port: cairn.port, requests, connections: CLIENTS };
    return (await bench.load({ ...order, duration_ms: GRANTS_MS })).per_s;
  };
  let next = 0;
  const fresh = () => {
    const agents = Array.from({ length: AGENTS_A_ROUND }, () => next++);
    return Array.from({ length: REWARDS_A_DAY }, () => agents.map(by)).flat();
  };
  const spent = fresh().slice(0, AGENTS_A_ROUND);
  for (let i = 0; i <= REWARDS_A_DAY; i++) await rateOf(spent);
  const rounds = Math.min(bench.rounds, Math.floor(AGENTS / AGENTS_A_ROUND) - 1);
  const rates = await compare(rounds, { ours: () => rateOf(fresh()), other: () => rateOf(spent) });
  return figureOf(`POST /repo/commit with a reward, ${engine}, against none`, GRANT_FLOOR, rates);
}

const figureOf = (
  name: string,
  limit: number,
  { ratio, ours, other }: Awaited<ReturnType<typeof compare>>,
): Figure => ({
  name,
  unit: "×",
  ...ratio,
  bound: "at least",
  limit,
  sides: `${Math.round(ours)} / ${Math.round(other)} per s`,
});

/** As many transfers of two updated rows a second as that many connections bring. */
async function twoRowTransfers(url: string) {
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, () => connected({ connectionString: url })),
  );
  const [admin] = clients;
  await admin?.query("CREATE TABLE bare (id integer PRIMARY KEY, balance bigint NOT NULL)");
  await admin?.query(`INSERT INTO bare SELECT n, 1000000 FROM generate_series(1, ${AGENTS}) n`);
  const move = "UPDATE bare SET balance = balance + $2 WHERE id = $1";
  const random = () => 1 + Math.floor(Math.random() * AGENTS);
  return {
    async measure(duration_ms: number): Promise<number> {
      const began_ms = performance.now();
      const isOver = () => performance.now() - began_ms >= duration_ms;
      let done = 0;
      const transfer = async (client: Client) => {
        // The lower row first, so that two never wait for each other.
        const [from, to] = [random(), random()].sort((a, b) => a - b);
        await client.query("BEGIN");
        await client.query({ name: "move", text: move, values: [from, -1] });
        await client.query({ name: "move", text: move, values: [to, 1] });
        await client.query("COMMIT");
        done++;
      };
      const work = async (client: Client) => {
        while (!isOver()) await transfer(client);
      };
      await Promise.all(clients.map(work));
      return (done * 1_000) / (performance.now() - began_ms);
    },
    end: () => Promise.all(clients.map((client) => client.end())),
  };
}

async function connected(config: ClientConfig): Promise<Client> {
  const client = new Client(config);
  await client.connect();
  return client;
}

const randomSends = ({ agents, tokens }: Filled): string[] =>
  Array.from({ length: SENDS }, () => {
    const from = below(agents.length);
    const to = below(agents.length - 1);
    const other = agents[to === from ? agents.length - 1 : to];
    const fields = { to: other?.agent_id, amount: "0.000001" };
    return postTo("/coin/send", tokens[from] ?? "", fields);
  });

const below = (n: number): number => Math.floor(Math.random() * n);

/** Agents that earned three weeks ago and have collected. */
async function fillCoins(dataDir: string, settings: object): Promise<Filled> {
  const clock = {
    now: () => Math.floor(Date.now() / 1_000) - days(MATURED_DAYS),
    monotonic_s: () => performance.now() / 1_000,
  };
  const past = await openNetwork(dataDir, settings, clock);
  const { agents, tokens } = await register(past, AGENTS);
  const repo_ids: number[] = [];
  await inParallel(AGENTS, async (i) => {
    const fields = { name: "Mine", mission: "To go on." };
    const formed = await call<{ id: number }>(past, agents[i] ?? null, "repositories.form", fields);
    repo_ids[i] = formed.id;
  });
  await inParallel(AGENTS * REWARDS_A_DAY, async (n) => {
    const i = n % AGENTS;
    const fields = { repo_id: repo_ids[i], summary: "A step." };
    await call(past, agents[i] ?? null, "repositories.commit", fields);
  });
  await past.close();
  const present = await openNetwork(dataDir, settings);
  await inParallel(AGENTS, async (i) => {
    await call(present, agents[i] ?? null, "coin.claim", {});
  });
  while ((await present.store.sequence()) > 0);
  while ((await seal(present, 1)) > 0);
  await present.close();
  return { agents, tokens, repo_ids };
}

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { appsHandlers } from "../src/domains/apps/handlers.ts";
import { collect } from "../src/domains/coin/collect.ts";
import { coinHandlers } from "../src/domains/coin/handlers.ts";
import { send } from "../src/domains/coin/send.ts";
import { identityHandlers } from "../src/domains/identity/handlers.ts";
import { rulesCheck } from "../src/main/jobs/rules-check.ts";
import { openService, type Service } from "../src/main/service/open-service.ts";
import { readConfiguration } from "../src/main/settings/settings.ts";
import { micro } from "../src/platform/kernel/money.ts";
import { days } from "../src/platform/kernel/time.ts";
import { APP } from "./coin.ts";
import { checkBooks } from "./coin-books.ts";
import { dropPostgres, freshPostgres } from "./database.ts";
import { times, WATCHDOG_MS } from "./postgres-store.ts";
import { START } from "./service.ts";

const NODES = 3;
const AGENTS = 6;
const ROUNDS = 10;

/** Nodes on one database, whose clocks agree and can be moved. */
async function nodesOf(t: TestContext, clock: { now: number }): Promise<Service[]> {
  const url = await freshPostgres();
  const nodes: Service[] = [];
  for (let n = 0; n < NODES; n++) {
    const dataDir = mkdtempSync(join(tmpdir(), "cairn-node-"));
    const variables = {
      CAIRN_DATABASE_URL: url,
      CAIRN_DATA_DIR: dataDir,
      CAIRN_ORIGIN: "nodes.test",
    };
    const node = await openService(readConfiguration(variables, {}, true), {
      baseUrl: "http://127.0.0.1:8080",
      alarm: () => {},
      clock: { now: () => clock.now, monotonic_s: () => clock.now },
      patience_ms: WATCHDOG_MS,
    });
    nodes.push(node);
    t.after(() => rmSync(dataDir, { recursive: true }));
  }
  t.after(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    dropPostgres(url);
  });
  return nodes;
}

test(`${NODES} nodes that sequence at once count no posting twice`, async (t) => {
  const clock = { now: START };
  const nodes = await nodesOf(t, clock);
  const node = (n: number) => nodes[n % NODES] ?? assert.fail();
  const nobody = { agent: null, afterAnswer: () => {} };
  const agents = await Promise.all(
    times(AGENTS, async (n) => {
      const made = await identityHandlers.register({ ...node(n).context, ...nobody }, {});
      return { id: n + 1, agent_id: made.agent_id, handle: null };
    }),
  );
  const sequence = () => Promise.all(nodes.map(({ store }) => store.sequence()));
  const supplies = () =>
    Promise.all(
      nodes.map(
        async ({ context }) => (await coinHandlers.get({ ...context, ...nobody }, {})).supply,
      ),
    );

  for (let round = 0; round < ROUNDS; round++) {
    const acts = agents.flatMap((agent, n) =>
      times(4, (i) => appsHandlers.create({ ...node(n + i).context, ...nobody, agent }, APP)),
    );
    await Promise.all([...acts, sequence(), sequence()]);
    clock.now += days(20);
    const claims = agents.map((agent, n) => collect(node(n).context, agent));
    const again = agents.map((agent, n) => collect(node(n + 1).context, agent));
    const [collected] = await Promise.all([Promise.all([...claims, ...again]), sequence()]);
    const ids = collected.flatMap(({ entitlements }) => entitlements.map(({ id }) => id));
    assert.equal(ids.length, 4 * AGENTS);
    assert.equal(new Set(ids).size, ids.length, "each is collected on one node");
    const transfers = agents.map((agent, n) => {
      const to = agents[(n + 1 + (round % (AGENTS - 1))) % AGENTS]?.agent_id ?? "";
      return send(node(n + 2).context, agent, { to, amount: micro(50_000) });
    });
    await Promise.all([...transfers, sequence()]);
    for (const { circulating, reward_pool } of await supplies())
      assert.equal(circulating + reward_pool, 50_000_000_000_000n);
  }
  while ((await sequence()).some((count) => count > 0));
  const [first, ...others] = await supplies();
  for (const other of others) assert.deepEqual(other, first, "all nodes say the same");
  assert.equal(first?.circulating, BigInt(ROUNDS * AGENTS * 4 * 100_000));
  const { context } = node(0);
  await checkBooks(context);
  assert.deepEqual(await rulesCheck().run({ ...context, yieldToRequests: async () => {} }), []);
});

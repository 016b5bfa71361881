import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { coinAudit } from "../src/coin/audit.ts";
import { DECIMALS } from "../src/kernel/money.ts";
import { earn, wealthy } from "./coin.ts";
import { dice } from "./dice.ts";
import { times } from "./postgres-store.ts";
import { eachEngine, type TestAgent, type TestWorld } from "./world.ts";

/** A minute in the long run, with its thousand rounds; two seconds otherwise. */
const BANK_MS = Number(process.env["TEST_ROUNDS"] ?? 30) * 60;
const AGENTS = 8;
const CLIENTS = 16;
const LOOK_EVERY_MS = 10;

const micro = (coins: number): number => Math.round(coins * 10 ** DECIMALS);

/** Reads the supply and checks the books as often as it may; resolves to how often that was. */
async function watch(world: TestWorld, isOver: () => boolean): Promise<number> {
  const audit = coinAudit();
  let looks = 0;
  for (; !isOver(); looks++) {
    const { supply } = (await world.get("/coin")).body;
    const { total, locked, reward_pool, circulating, unallocated } = supply;
    const parts = [locked, reward_pool, circulating, unallocated].map(micro);
    assert.equal(
      parts.reduce((sum, part) => sum + part),
      micro(total),
      JSON.stringify(supply),
    );
    const { read, snapshot } = world.world.context;
    assert.deepEqual(await audit.run({ read, snapshot, breathe: async () => {} }), []);
    await setTimeout(LOOK_EVERY_MS);
  }
  return looks;
}

/** Sends, and at times earns or collects, until the bank closes; resolves to how many arrived. */
async function trade(
  world: TestWorld,
  agents: readonly TestAgent[],
  { client, isOver }: { readonly client: number; readonly isOver: () => boolean },
): Promise<number> {
  const roll = dice(`client ${client}`);
  let arrived = 0;
  for (let n = 0; !isOver(); n++) {
    const [from, to] = [agents[roll(AGENTS)], agents[roll(AGENTS)]];
    assert.ok(from && to);
    if (roll(20) === 0) await earn(world, from, `commit/${client}${n}000`);
    if (roll(20) === 0) assert.equal((await from.post("/coin/claim")).status, 200);
    const amount = `0.${String(1 + roll(600_000)).padStart(DECIMALS, "0")}`;
    const { status, body } = await from.post("/coin/send", { to: to.agent_id, amount });
    const expected = from === to ? [422] : [201, 409];
    assert.ok(expected.includes(status), `${status} ${JSON.stringify(body)}`);
    if (status === 201) arrived++;
  }
  return arrived;
}

eachEngine(`a bank of ${CLIENTS} clients balances at every moment`, async (world) => {
  const agents = await wealthy(world, AGENTS);
  const closes_ms = performance.now() + BANK_MS;
  const isOver = () => performance.now() > closes_ms;
  const [looks, ...trades] = await Promise.all([
    watch(world, isOver),
    ...times(CLIENTS, (client) => trade(world, agents, { client, isOver })),
  ]);
  await world.sequenced();
  const balances = await Promise.all(
    agents.map(async (agent) => (await agent.get("/me")).body.coin.balance),
  );
  const sum = balances.reduce((total, balance) => total + micro(balance), 0);
  assert.equal(sum, micro(AGENTS), "nobody's coins were lost or made");
  assert.ok(looks > BANK_MS / 1_000, `${looks} looks`);
  assert.ok(trades.every((count) => count > 0));
});

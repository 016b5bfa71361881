import assert from "node:assert/strict";
import { coinAudit } from "../src/domains/coin/audit/audit.ts";
import { DECIMALS } from "../src/platform/kernel/money.ts";
import { publish, wealthy } from "./coin.ts";
import { dice } from "./dice.ts";
import { times } from "./postgres-store.ts";
import { eachEngine, type TestAgent, type TestService } from "./service.ts";

/** So many transfers of each client arrive before the bank closes: a thousand in the long run. */
const ARRIVALS = Number(process.env["TEST_ROUNDS"] ?? 15);
/** Before it closes, the books are checked at least so often. */
const LOOKS = 10;
const AGENTS = 8;
const CLIENTS = 16;

/** The events so far. */
interface Bank {
  looks: number;
  /** How many transfers of each client have arrived. */
  readonly arrived: number[];
}

/** Counts alone close the bank, so a slow machine does the same work as a quick one. */
const isOver = ({ looks, arrived }: Bank): boolean =>
  looks >= LOOKS && arrived.every((count) => count >= ARRIVALS);

const micro = (coins: number): number => Math.round(coins * 10 ** DECIMALS);

/** Reads the supply and checks the books until the bank closes. */
async function watch(service: TestService, bank: Bank): Promise<void> {
  const audit = coinAudit();
  for (; !isOver(bank); bank.looks++) {
    const { supply } = (await service.get("/coin")).body;
    const { total, locked, reward_pool, circulating, unallocated } = supply;
    const parts = [locked, reward_pool, circulating, unallocated].map(micro);
    assert.equal(
      parts.reduce((sum, part) => sum + part),
      micro(total),
      JSON.stringify(supply),
    );
    const { read, snapshot } = service.service.context;
    assert.deepEqual(await audit.run({ read, snapshot, yieldToRequests: async () => {} }), []);
  }
}

/** Sends, and at times earns or collects, until the bank closes. */
async function trade(
  agents: readonly TestAgent[],
  { client, bank }: { readonly client: number; readonly bank: Bank },
): Promise<void> {
  const roll = dice(`client ${client}`);
  while (!isOver(bank)) {
    const [from, to] = [agents[roll(AGENTS)], agents[roll(AGENTS)]];
    assert.ok(from && to);
    if (roll(20) === 0) await publish(from);
    if (roll(20) === 0) assert.equal((await from.post("/coin/claim")).status, 200);
    const amount = `0.${String(1 + roll(600_000)).padStart(DECIMALS, "0")}`;
    const { status, body } = await from.post("/coin/send", { to: to.agent_id, amount });
    const expected = from === to ? [422] : [201, 409];
    assert.ok(expected.includes(status), `${status} ${JSON.stringify(body)}`);
    if (status === 201) bank.arrived[client] = (bank.arrived[client] ?? 0) + 1;
  }
}

eachEngine(`a bank of ${CLIENTS} clients balances at every moment`, async (service) => {
  const agents = await wealthy(service, AGENTS);
  const bank: Bank = { looks: 0, arrived: times(CLIENTS, () => 0) };
  await Promise.all([
    watch(service, bank),
    ...times(CLIENTS, (client) => trade(agents, { client, bank })),
  ]);
  await service.sequenced();
  const balances = await Promise.all(
    agents.map(async (agent) => (await agent.get("/me")).body.coin.balance),
  );
  const sum = balances.reduce((total, balance) => total + micro(balance), 0);
  assert.equal(sum, micro(AGENTS), "nobody's coins were lost or made");
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { readLedger } from "../../../test/invariants.ts";
import { inventUse } from "../../../test/invented-acts.ts";
import { times } from "../../../test/postgres-store.ts";
import type { TestAgent, TestService } from "../../../test/service.ts";
import { eachEngineWithChain, type Payers } from "../../../test/treasury-service.ts";
import { RAW_PER_XNO } from "../../platform/kernel/nano.ts";
import { transferKey } from "../transfers/rules.ts";
import { useTransfer } from "../transfers/use.ts";

/** More rounds find rarer orders of events. */
const ROUNDS = Number(process.env["TEST_ROUNDS"] ?? 12);

const xno = (txid: string) => ({ currency: "xno", txid });
const declared = (currency: string, txid: string) => ({ currency, txid, amount: "1" });

/** A payment that the project has received, by both its hashes. */
function received(payers: Payers, amountRaw: bigint) {
  const { send, receive } = payers.pay(amountRaw);
  return { send, receive: receive() };
}

/** The totals, once every entry has its id. */
async function totalsOf(service: TestService) {
  await service.sequenced();
  const { totals, total } = (await service.get("/contributions")).body;
  return { ...totals, total };
}

async function refusedFor(agent: TestAgent, id: number, fields: object): Promise<void> {
  const { status, body } = await agent.post("/contribute", fields);
  assert.deepEqual([status, body.error], [409, "already_recorded"], JSON.stringify(fields));
  assert.deepEqual(body.details, [{ field: "contribution_id", problem: String(id) }]);
}

eachEngineWithChain("a transfer counts once, under all its names", async (service, payers) => {
  const ada = await service.register("ada");
  const bob = await service.register("bob");
  const { send, receive } = received(payers, RAW_PER_XNO);
  assert.equal((await ada.post("/contribute", xno(receive))).body.contribution.txid, send);
  const asked = payers.calls.length;
  for (const agent of [ada, bob])
    for (const hash of [send, receive])
      for (const name of [hash, hash.toLowerCase(), `0x${hash}`]) {
        await refusedFor(agent, 1, xno(name));
        for (const currency of ["xmr", "btc", "other"])
          await refusedFor(agent, 1, declared(currency, name));
      }
  assert.equal(payers.calls.length, asked, "what is in the register is not looked up again");
  assert.equal((await bob.post("/contribute", declared("other", "A parcel"))).status, 201);
  await refusedFor(ada, 2, declared("other", "A parcel"));
  assert.equal((await ada.post("/contribute", declared("other", "a parcel"))).status, 201);
});

eachEngineWithChain(
  "a checked transfer takes the place of declared ones",
  async (service, payers) => {
    const ada = await service.register("ada");
    const eve = await service.register("eve");
    const { send, receive } = received(payers, RAW_PER_XNO);
    assert.equal((await eve.post("/contribute", declared("xmr", send))).body.id, 1);
    assert.equal((await eve.post("/contribute", declared("other", ` ${receive}`))).body.id, 2);
    assert.deepEqual(await totalsOf(service), { verified_usd: 0, declared_usd: 300, total: 2 });
    const { body } = await ada.post("/contribute", xno(send));
    assert.deepEqual([body.id, body.reward.why], [3, null]);
    assert.deepEqual(await totalsOf(service), { verified_usd: 0.8, declared_usd: 0, total: 1 });
    const { contributions } = (await service.get("/contributions")).body;
    assert.deepEqual(
      contributions.map(({ superseded_by }: { superseded_by: string | null }) => superseded_by),
      [null, "contribution/3", "contribution/3"],
    );
    const entries = (await readLedger(service)).filter(
      ({ kind }) => kind === "contribution_superseded",
    );
    assert.deepEqual(
      entries.map((entry) => [entry.ref, entry.body]).sort(),
      ["1", "2"].map((ref) => [ref, { contribution_id: Number(ref), by: "contribution/3" }]),
    );
    await refusedFor(eve, 3, declared("xmr", send));
  },
);

eachEngineWithChain(
  "a hash that a transfer gets later is the same transfer",
  async (service, payers) => {
    const ada = await service.register("ada");
    const payment = payers.pay(RAW_PER_XNO);
    const first = await ada.post("/contribute", xno(payment.send));
    assert.equal(first.body.contribution.receive_hash, null);
    const receive = payment.receive();
    assert.equal((await ada.post("/contribute", declared("other", receive))).body.id, 2);
    await refusedFor(ada, 1, xno(receive));
    assert.deepEqual(await totalsOf(service), { verified_usd: 0.8, declared_usd: 0, total: 1 });
    await refusedFor(ada, 1, declared("other", receive));
  },
);

eachEngineWithChain(
  "a transfer that another part of the network used is no contribution",
  async (service, payers) => {
    const ada = await service.register("ada");
    const { send, receive } = received(payers, RAW_PER_XNO);
    await ada.post("/contribute", declared("xmr", send));
    const { write } = service.service.context;
    const keys = [send, receive].map(transferKey);
    inventUse("order_payment/7/1");
    const use = (used: `order_payment/${number}/${number}`) =>
      write((tx) => useTransfer(tx, keys, used));
    assert.equal(await use("order_payment/7/1"), null);
    assert.equal(await use("order_payment/7/1"), null, "again is harmless");
    assert.equal(await use("order_payment/8/1"), "order_payment/7/1");
    for (const fields of [xno(send), xno(receive), declared("btc", receive)]) {
      const { status, body } = await ada.post("/contribute", fields);
      assert.deepEqual([status, body.error, body.details], [409, "already_recorded", undefined]);
    }
    assert.deepEqual(await totalsOf(service), { verified_usd: 0, declared_usd: 0, total: 0 });
    const [first] = (await service.get("/contributions")).body.contributions;
    assert.equal(first.superseded_by, "order_payment/7/1");
  },
);

eachEngineWithChain(
  "of 8 who race with one hash exactly one is recorded",
  async (service, payers) => {
    const agents = await Promise.all(times(8, () => service.register()));
    for (let round = 1; round <= ROUNDS; round++) {
      const { send } = payers.pay(RAW_PER_XNO);
      const answers = await Promise.all(
        agents.map((agent) => agent.post("/contribute", xno(send))),
      );
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [201, ...times(7, () => 409)], `round ${round}`);
      assert.equal((await totalsOf(service)).total, round);
    }
    assert.equal((await totalsOf(service)).verified_usd, Math.round(ROUNDS * 8) / 10);
  },
);

eachEngineWithChain(
  "names and currencies that race leave one that counts",
  async (service, payers) => {
    const agents = await Promise.all(times(4, () => service.register()));
    for (let round = 1; round <= ROUNDS; round++) {
      const { send, receive } = received(payers, RAW_PER_XNO);
      const sent = [xno(send), xno(receive), declared("other", send), declared("xmr", receive)];
      const answers = await Promise.all(
        [...sent, ...sent].map((fields, i) => agents[(i + round) % 4]?.post("/contribute", fields)),
      );
      const checked = answers.filter((answer) => answer?.body.contribution?.currency === "xno");
      assert.equal(checked.length, 1, `round ${round}`);
      for (const answer of answers) assert.match(String(answer?.status), /^(201|409)$/);
      const totals = await totalsOf(service);
      assert.deepEqual([totals.total, totals.declared_usd], [round, 0], `round ${round}`);
    }
    const entries = await readLedger(service);
    const rewards = entries.filter(({ kind }) => kind === "coin_reward");
    assert.equal(
      rewards.length,
      Math.min(ROUNDS, rewards.length),
      "no more rewards than transfers",
    );
  },
);

/** What somebody may try to move the checked figure with. */
const declaration = fc.record({
  currency: fc.constantFrom("xmr", "btc", "other"),
  name: fc.nat({ max: 5 }),
  amount: fc.bigInt(1n, 300_000n).map(String),
});

eachEngineWithChain("no declaration moves the checked figure", async (service, payers) => {
  const agent = await service.register();
  const transfers = times(3, () => received(payers, RAW_PER_XNO));
  for (const { send } of transfers.slice(1)) await agent.post("/contribute", xno(send));
  const property = fc.asyncProperty(fc.array(declaration, { maxLength: 8 }), async (sent) => {
    for (const { currency, name, amount } of sent)
      await agent.post("/contribute", { currency, txid: nameOf(transfers, name), amount });
    const figure = (await totalsOf(service)).verified_usd;
    const { body: goal } = await service.get("/goal");
    assert.deepEqual([figure, goal.checked_against_a_chain_usd], [1.6, 1.6]);
  });
  await fc.assert(property, { numRuns: 15 });
});

/** Hashes of transfers that are recorded, of one that is not, and a name that is no hash. */
function nameOf(transfers: readonly ReturnType<typeof received>[], i: number): string {
  const { send, receive } = transfers[i % transfers.length] ?? { send: "", receive: "" };
  return [send, receive, `${i}`.repeat(64)][i % 3] ?? send;
}

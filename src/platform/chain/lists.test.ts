import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { FAULTS, only } from "../../../test/chain-faults.ts";
import { dev, never, openChainService } from "../../../test/chain-service.ts";
import { LISTS, POOR } from "../../../test/poor-lists.ts";
import { type Fault, honest } from "./dev/node.ts";

const escrow = dev("escrow").key;
/** Of three endpoints so many have a fault; the escrow account has received two transfers, and one waits. */
async function readWith(t: TestContext, fault: Fault, faulty: number, quorum: number) {
  const faults = [0, 1, 2].map((n) => (n < faulty ? fault : honest));
  const { chain, adapter } = await openChainService(t, faults, { quorum });
  const { wallet } = chain;
  wallet.send(dev("alice"), escrow, 50n);
  wallet.receive(dev("escrow"));
  wallet.send(dev("alice"), escrow, 60n);
  const [newest] = wallet.receive(dev("escrow"));
  const waiting = wallet.send(dev("alice"), escrow, 70n).hash;
  const history = { until: newest?.hash ?? assert.fail() };
  const lists = await adapter
    .lists(escrow, { thresholdRaw: 1n, history }, never)
    .catch(({ name }: Error) => name);
  return { lists, waiting };
}

for (const [name, fault] of Object.entries(POOR)) {
  test(`lists of ${name} endpoints count for no quorum`, async (t) => {
    for (const quorum of [1, 2, 3])
      for (const faulty of [1, 2, 3]) {
        const { lists, waiting } = await readWith(t, fault, faulty, quorum);
        const reported = typeof lists === "string" ? lists : lists.entries.map(({ hash }) => hash);
        const isQuorum = 3 - faulty >= quorum;
        if (isQuorum) assert.deepEqual(reported, [waiting], `${faulty} ${name}, quorum ${quorum}`);
        else assert.match(String(reported), /^Chain(?:Unavailable|Inconsistent)$/);
      }
  });
}

test("a transfer that one of several endpoints lists is listed, with how many do", async (t) => {
  const hides = only(["receivable"], (action, _answer, request) =>
    honest(action, { blocks: "" }, request),
  );
  const { chain, adapter } = await openChainService(t, [hides, hides, honest], { quorum: 2 });
  const { hash } = chain.wallet.send(dev("alice"), escrow, 5n);
  const { entries } = await adapter.lists(escrow, { thresholdRaw: 1n, history: null }, never);
  assert.deepEqual(
    entries.map((entry) => [entry.hash, entry.tellers.length]),
    [[hash, 1]],
  );
});

test("the own blocks are those that the quorum tells, each with what it received", async (t) => {
  const invents = only(["account_history"], (action, answer, request) => {
    const { history = [], ...rest } = JSON.parse(JSON.stringify(answer));
    const made = { ...history[0], hash: "AB".repeat(32) };
    return honest(action, { ...rest, history: [made, ...history] }, request);
  });
  const { chain, adapter } = await openChainService(t, [invents, honest, honest], { quorum: 2 });
  const sent = chain.wallet.send(dev("alice"), escrow, 5n).hash;
  const [own] = chain.wallet.receive(dev("escrow"));
  const request = { thresholdRaw: 1n, history: { until: null } };
  const { blocks } = await adapter.lists(escrow, request, never);
  const [newest] = blocks;
  assert.deepEqual([newest?.hash, newest?.received, newest?.tellers.length], [own?.hash, sent, 3]);
});

test("one slow endpoint delays nobody once the quorum has told", async (t) => {
  const { chain, adapter } = await openChainService(
    t,
    [honest, only(LISTS, FAULTS.silence), honest],
    { quorum: 2 },
  );
  const { hash } = chain.wallet.send(dev("alice"), escrow, 5n);
  const request = { thresholdRaw: 1n, history: { until: null } };
  const { entries } = await adapter.lists(escrow, request, never);
  assert.deepEqual(
    entries.map((entry) => entry.hash),
    [hash],
  );
});

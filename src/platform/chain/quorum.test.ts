import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { dev, never, openChainService } from "../../../test/chain-service.ts";
import { accountText } from "./account.ts";
import { ChainInconsistent, ChainUnavailable } from "./adapter.ts";
import { type DevChain, type Fault, honest } from "./dev/node.ts";

const project = dev("project").key;
const AMOUNT = 12_345n;
const LIE = 10n ** 36n;

/** Edits one row of `blocks_info`, which stands under the block's hash. */
type Edit = (row: Record<string, unknown>) => void;

/** A node that has forgotten `gone`, and shows `hash` as `edit` leaves it. */
const shows =
  ({ gone = "", hash }: { readonly gone?: string; readonly hash: string }, edit: Edit): Fault =>
  (action, answer, request) => {
    if (action !== "blocks_info") return honest(action, answer, request);
    if (gone !== "" && request.includes(gone))
      return honest(action, { blocks: "", blocks_not_found: [gone] }, request);
    const edited = JSON.parse(JSON.stringify(answer));
    if (edited.blocks?.[hash]) edit(edited.blocks[hash]);
    return honest(action, edited, request);
  };

/** Endpoints whose faults are chosen once there are blocks to be wrong about. */
async function openNodes(t: TestContext, count: number) {
  const faults: Fault[] = [];
  const slots = Array.from(
    { length: count },
    (_, i): Fault =>
      (action, answer, request) =>
        (faults[i] ?? honest)(action, answer, request),
  );
  const service = await openChainService(t, slots, { quorum: 2 });
  return { ...service, faults };
}

const previousOf = (chain: DevChain, hash: string): string => {
  const block = chain.ledger.block(hash)?.block;
  return block?.type === "state" ? block.previous : assert.fail("a state block");
};

const silent: Edit = (row) => {
  delete row["amount"];
};
const lying: Edit = (row) => {
  row["amount"] = String(LIE);
};
const telling: Edit = () => {};

/** The answers about a send's amount by nodes that have forgotten its predecessor, and their outcome. */
const WORDS = [
  { said: [lying, silent], comes: ChainUnavailable },
  { said: [silent, lying], comes: ChainUnavailable },
  { said: [lying, silent, silent], comes: ChainUnavailable },
  { said: [lying, telling], comes: ChainInconsistent },
  { said: [lying, telling, telling], comes: AMOUNT },
  { said: [telling, telling], comes: AMOUNT },
] as const;

for (const { said, comes } of WORDS) {
  const names = said.map((edit) =>
    edit === lying ? "lies" : edit === silent ? "is silent" : "tells",
  );
  test(`of a quorum of two: one ${names.join(", one ")}`, async (t) => {
    const { chain, adapter, alarms, faults } = await openNodes(t, said.length);
    chain.wallet.send(dev("alice"), dev("escrow").key, 1n);
    const { hash } = chain.wallet.send(dev("alice"), project, AMOUNT);
    const gone = previousOf(chain, hash);
    // Receivable lists have the amount too, so no node has it there.
    const forgetful: Fault = (action, answer, request) =>
      honest(action, action === "receivable" ? { blocks: "" } : answer, request);
    said.forEach((edit, i) => {
      const fault = shows({ gone, hash }, edit);
      faults[i] = (action, answer, request) =>
        (action === "receivable" ? forgetful : fault)(action, answer, request);
    });
    const lookUp = adapter.lookup(hash, project, never);
    if (typeof comes !== "bigint") return assert.rejects(lookUp, comes);
    const answer = await lookUp;
    assert.ok(answer.kind === "credited");
    assert.deepEqual([answer.amountRaw, answer.proof], [comes, "node_reported"]);
    assert.ok(alarms.length <= 2, "a liar is told of, and nobody else");
  });
}

test("an amount that only the list of what waits has needs the quorum, too", async (t) => {
  const { chain, adapter, faults } = await openNodes(t, 2);
  chain.wallet.send(dev("alice"), dev("escrow").key, 1n);
  const { hash } = chain.wallet.send(dev("alice"), project, AMOUNT);
  const forgetful = shows({ gone: previousOf(chain, hash), hash }, silent);
  const inflated: Fault = (action, answer, request) => {
    if (action !== "receivable") return forgetful(action, answer, request);
    return honest(
      action,
      JSON.parse(JSON.stringify(answer).replace(`"${AMOUNT}"`, `"${LIE}"`)),
      request,
    );
  };
  faults.push(forgetful, inflated);
  await assert.rejects(adapter.lookup(hash, project, never), ChainInconsistent);
  faults[1] = forgetful;
  const answer = await adapter.lookup(hash, project, never);
  assert.ok(answer.kind === "credited");
  assert.equal(answer.amountRaw, AMOUNT);
});

for (const first of [0, 1]) {
  test(`node ${first} alone cannot turn an outgoing transfer around`, async (t) => {
    const { chain, adapter, faults } = await openNodes(t, 2);
    chain.wallet.send(dev("alice"), project, 5n * AMOUNT);
    chain.wallet.receive(dev("project"));
    const { hash } = chain.wallet.send(dev("project"), dev("bob").key, AMOUNT);
    const gone = previousOf(chain, hash);
    const turns: Edit = (row) => {
      Object.assign(row, { subtype: "receive", source_account: accountText(dev("heidi").key) });
    };
    faults[first] = shows({ gone, hash }, turns);
    faults[1 - first] = shows({ gone, hash }, telling);
    await assert.rejects(adapter.lookup(hash, project, never), ChainInconsistent);
    faults[first] = shows({ gone, hash }, telling);
    const answer = await adapter.lookup(hash, project, never);
    assert.deepEqual(answer, { kind: "not_to_account", reason: "outgoing" });
  });
}

test("the sender of a pruned block is not one node's word", async (t) => {
  const { chain, adapter, faults } = await openNodes(t, 2);
  const send = chain.wallet.send(dev("alice"), project, AMOUNT).hash;
  const [receive] = chain.wallet.receive(dev("project"));
  const hash = receive?.hash ?? assert.fail("it was received");
  const names = (account: string) =>
    shows({ gone: send, hash }, (row) => {
      row["source_account"] = account;
    });
  faults.push(names(accountText(dev("heidi").key)), names("0"));
  await assert.rejects(adapter.lookup(hash, project, never), ChainUnavailable);
  faults[1] = names(accountText(dev("heidi").key));
  const answer = await adapter.lookup(hash, project, never);
  assert.ok(answer.kind === "credited");
  assert.equal(answer.from, accountText(dev("heidi").key));
});

test("a receive that an account's history names is looked at before it is believed", async (t) => {
  const { chain, adapter, faults } = await openNodes(t, 2);
  const victim = chain.wallet.send(dev("bob"), project, 7n).hash;
  const { hash } = chain.wallet.send(dev("alice"), project, AMOUNT);
  const invents =
    (receive: string): Fault =>
    (action, answer, request) => {
      const entry = { type: "state", subtype: "receive", hash: receive, link: hash, amount: "1" };
      const answers: Readonly<Record<string, object>> = {
        receivable_exists: { exists: "0" },
        account_history: { history: [{ ...entry, account: accountText(dev("alice").key) }] },
      };
      return honest(action, answers[action] ?? answer, request);
    };
  faults.push(invents(victim), invents(victim));
  await assert.rejects(adapter.lookup(hash, project, never), ChainInconsistent);
  faults.splice(0, 2, invents("AB".repeat(32)), invents("AB".repeat(32)));
  const answer = await adapter.lookup(hash, project, never);
  assert.ok(answer.kind === "credited");
  assert.deepEqual([answer.receiveHash, answer.amountRaw], [null, AMOUNT]);
});

/** So that no node's time is below 0. */
const PASSED_MS = 1_000_000;

/** The answers of a node whose peers' clocks are so far ahead. */
const aheadBy =
  (ahead_ms: number): Fault =>
  (action, answer, request) => {
    const timestamp = `${Math.round(performance.now() + PASSED_MS + ahead_ms)}`;
    return honest(action, action === "telemetry" ? { ...answer, timestamp } : answer, request);
  };

test("the nodes' clocks are told by their median, and by no fewer than the quorum", async (t) => {
  for (const [aheads, quorum, wanted] of [
    [[0, 0, 86_400_000], 2, 0],
    [[-400_000, -400_000, 0], 2, -400],
    [[86_400_000], 1, 86_400],
  ] as const) {
    const { adapter, pass } = await openChainService(t, aheads.map(aheadBy), { quorum });
    pass(PASSED_MS);
    assert.equal(adapter.health().ahead_s, null, "before the first look");
    await adapter.check();
    const { ahead_s } = adapter.health();
    assert.ok(ahead_s !== null && Math.abs(ahead_s - wanted) <= 2, `${ahead_s}, not ${wanted}`);
  }
  const { adapter } = await openChainService(t, [honest, aheadBy(0)], { quorum: 2 });
  await adapter.check();
  assert.equal(adapter.health().ahead_s, null, "one of two says nothing");
});

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { FAULTS, forgetsAllBut, only, swaps } from "../../../test/chain-faults.ts";
import { dev, givingUpAfter, never, openChainService } from "../../../test/chain-service.ts";
import { ChainInconsistent, ChainUnavailable } from "./adapter.ts";
import { type DevChain, type Fault, honest } from "./dev/node.ts";
import { contentsJson } from "./dev/shapes.ts";
import type { Pace } from "./open.ts";

const project = dev("project").key;
const AMOUNT = 12_345n;
const QUICK = givingUpAfter(250);
const PATIENT = givingUpAfter(60_000);

/** The outcomes of a fault: the right amount, or an error, and nothing between. */
type Outcome = "right" | "reported" | "unconfirmed" | "unavailable" | "inconsistent";

/** What a look-up has cost: it takes so many calls' time and its pauses, and no longer. */
interface Work {
  readonly calls: number;
  readonly paused_ms: number;
}

const CALLS_MAX = 8;
/** Pauses here are twenty times shorter than in a service. */
const PAUSED_MAX_MS = 100;

/** However an endpoint fails, it is asked a few times only. */
function demandLittle({ calls, paused_ms }: Work): void {
  assert.ok(calls <= CALLS_MAX, `${calls} calls`);
  assert.ok(paused_ms <= PAUSED_MAX_MS, `${paused_ms} ms of pauses`);
}

type FaultsFor = (chain: DevChain, send: string) => readonly Fault[];

/** The look-up of a transfer of AMOUNT through endpoints with these faults. */
async function outcomeOf(
  t: TestContext,
  faultsFor: FaultsFor,
  { quorum = 1, pace = PATIENT }: { readonly quorum?: number; readonly pace?: Pace } = {},
): Promise<{ outcome: Outcome; alarms: readonly { what: string }[]; work: Work }> {
  let faults: readonly Fault[] = [];
  const count = faultsFor((await openChainService(t)).chain, "").length;
  const slots = Array.from(
    { length: count },
    (_, i): Fault =>
      (action, answer, request) =>
        (faults[i] ?? honest)(action, answer, request),
  );
  const service = await openChainService(t, slots, { quorum, pace });
  const { chain, adapter, alarms, calls } = service;
  const { hash } = chain.wallet.send(dev("alice"), project, AMOUNT);
  faults = faultsFor(chain, hash);
  const outcome = await adapter.lookup(hash, project, never).then(
    (answer): Outcome => {
      if (answer.kind === "unconfirmed") return "unconfirmed";
      assert.ok(answer.kind === "credited", answer.kind);
      assert.equal(answer.amountRaw, AMOUNT, "the amount is wrong");
      assert.equal(answer.sendHash, hash);
      return answer.proof === "node_reported" ? "reported" : "right";
    },
    (error: unknown): Outcome => {
      if (error instanceof ChainUnavailable) return "unavailable";
      if (error instanceof ChainInconsistent) return "inconsistent";
      throw error;
    },
  );
  return { outcome, alarms, work: { calls: calls.length, paused_ms: service.paused_ms() } };
}

/**
 * The outcome where an honest endpoint's answer counts. On a busy machine it may come later than a
 * silent endpoint is waited for, so both are waited for longer then.
 */
async function outcomeInTime(t: TestContext, faultsFor: FaultsFor): Promise<Outcome> {
  for (const callMax_ms of [250, 2_500, 25_000]) {
    const { outcome } = await outcomeOf(t, faultsFor, { pace: givingUpAfter(callMax_ms) });
    if (outcome !== "unavailable") return outcome;
  }
  return "unavailable";
}

/** What one faulty endpoint leads to. */
const ALONE: Readonly<Record<keyof typeof FAULTS, Outcome>> = {
  silence: "unavailable",
  halfABody: "unavailable",
  hugeBody: "unavailable",
  noJson: "unavailable",
  brokenProxy: "unavailable",
  throttled: "unavailable",
  blocked: "unavailable",
  moved: "unavailable",
  nodeError: "unavailable",
  notAllowed: "unavailable",
  unknownCommand: "unavailable",
  notPermitted: "unavailable",
  badAction: "unavailable",
  notSupported: "unavailable",
  otherNetwork: "unavailable",
  farBehind: "unavailable",
  lyingAmount: "right", // It is not even looked at: balances are.
  editedBalance: "inconsistent",
  editedLink: "inconsistent",
  badSignature: "inconsistent",
  shiftedSignature: "right", // The network takes it, so the block is in the chain.
  neverConfirmed: "unconfirmed",
  contentsAsText: "right",
  jsonNumbers: "inconsistent",
  oldPrefixes: "right",
  lostReceivable: "inconsistent",
  knowsNothing: "right",
};

const CHECKS = ["version", "block_count", "telemetry"];

for (const [name, expected] of Object.entries(ALONE)) {
  if (name === "knowsNothing") continue; // Such a node says honestly that there is nothing.
  const fault = Object.entries(FAULTS).find(([known]) => known === name)?.[1] ?? assert.fail(name);
  const pace = name === "silence" || name === "halfABody" ? QUICK : PATIENT;

  test(`a node with the fault ${name} leads to no wrong amount`, async (t) => {
    const { outcome, alarms, work } = await outcomeOf(t, () => [fault], { pace });
    assert.equal(outcome, expected);
    demandLittle(work);
    assert.equal(alarms.length > 0, expected === "inconsistent");
    assert.ok(alarms.every(({ what }) => what === "chain_contradiction"));
  });

  test(`the fault ${name}, once the node is trusted, leads to no wrong amount`, async (t) => {
    const afterCheck: Fault = (action, answer, request) =>
      (CHECKS.includes(action) ? honest : fault)(action, answer, request);
    const { outcome, work } = await outcomeOf(t, () => [afterCheck], { pace });
    demandLittle(work);
    const isSeenInCheck = name === "otherNetwork" || name === "farBehind";
    assert.equal(outcome, isSeenInCheck ? "right" : expected);
  });

  test(`an honest node beside one with the fault ${name} is enough`, async (t) => {
    assert.equal(await outcomeInTime(t, () => [fault, honest]), "right");
  });

  test(`with the fault ${name} two of two nodes are not there`, async (t) => {
    const { outcome } = await outcomeOf(t, () => [fault, honest], { quorum: 2, pace });
    // That it was received or not is told by one endpoint, so the other's lie about it is harmless.
    const isHarmless = expected === "right" || name === "lostReceivable";
    assert.equal(outcome, isHarmless ? "right" : expected);
  });
}

test("a closed port is an endpoint that is away", async (t) => {
  const { nodes, chain, adapter } = await openChainService(t);
  const { hash } = chain.wallet.send(dev("alice"), project, AMOUNT);
  await nodes[0]?.close();
  await assert.rejects(adapter.lookup(hash, project, never), ChainUnavailable);
});

test("another block under the hash is refused", async (t) => {
  const genesis = (chain: DevChain) =>
    contentsJson((chain.ledger.block(chain.genesis) ?? assert.fail()).block);
  const { outcome } = await outcomeOf(t, (chain) => [swaps(genesis(chain))]);
  assert.equal(outcome, "inconsistent");
});

test("a forgotten predecessor leaves the node's word, and two words have to agree", async (t) => {
  const forgetful = (_: DevChain, hash: string) => forgetsAllBut(hash);
  const one = await outcomeOf(t, (chain, hash) => [forgetful(chain, hash)]);
  assert.equal(one.outcome, "reported");
  const lying =
    (hash: string): Fault =>
    (action, answer, request) => {
      const { body } = FAULTS.lyingAmount(action, answer, request);
      return forgetsAllBut(hash)(action, JSON.parse(body), request);
    };
  const two = await outcomeOf(t, (chain, hash) => [forgetful(chain, hash), lying(hash)], {
    quorum: 2,
  });
  assert.equal(two.outcome, "inconsistent");
});

test("a block that is confirmed meanwhile is waited for", async (t) => {
  let looks = 0;
  const confirming: Fault = (action, answer, request) => {
    if (action === "blocks_info" && ++looks === 2) service.chain.ledger.confirm(hash);
    return honest(action, answer, request);
  };
  const service = await openChainService(t, [confirming], { confirmAfter_ms: 1e9 });
  const { hash } = service.chain.wallet.send(dev("alice"), project, AMOUNT);
  assert.equal((await service.adapter.lookup(hash, project, never)).kind, "credited");
  assert.ok(looks > 2, "it was looked at again");
});

test("a block that only one of two nodes knows needs both to be believed", async (t) => {
  const disagreeing = () => [FAULTS.knowsNothing, honest];
  assert.equal((await outcomeOf(t, disagreeing)).outcome, "right");
  assert.equal((await outcomeOf(t, disagreeing, { quorum: 2 })).outcome, "unconfirmed");
});

test("a node that refuses one way of asking is asked in the other", async (t) => {
  const { unknownCommand, notAllowed, notPermitted, badAction, notSupported } = FAULTS;
  const refusing = (...actions: string[]) => only(actions, unknownCommand);
  for (const words of [unknownCommand, notAllowed, notPermitted, badAction, notSupported])
    for (const actions of [
      ["blocks_info"],
      ["receivable", "receivable_exists"],
      ["block_count", "telemetry"],
      ["receivable_exists", "blocks_info", "telemetry"],
    ])
      assert.equal((await outcomeOf(t, () => [only(actions, words)])).outcome, "right");
  assert.equal((await outcomeOf(t, () => [refusing("version")])).outcome, "unavailable");
  assert.equal(
    (await outcomeOf(t, () => [refusing("blocks_info", "block_info")])).outcome,
    "unavailable",
  );
});

test("a send that was received hundreds of blocks ago is found where nodes do not name its receive", async (t) => {
  const unnamed: Fault = (action, answer, request) => {
    const edited = JSON.parse(
      JSON.stringify(answer, (key, value) => (key === "receive_hash" ? undefined : value)),
    );
    return honest(action, edited, request);
  };
  const { chain, adapter } = await openChainService(t, [unnamed]);
  const { hash } = chain.wallet.send(dev("alice"), project, AMOUNT);
  for (let i = 0; i < 505; i++) chain.wallet.send(dev("bob"), project, 1n);
  chain.wallet.receive(dev("project"));
  const answer = await adapter.lookup(hash, project, never);
  assert.ok(answer.kind === "credited");
  assert.deepEqual([answer.amountRaw, answer.proof], [AMOUNT, "receive_signed"]);
});

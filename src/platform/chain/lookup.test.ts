import assert from "node:assert/strict";
import { test } from "node:test";
import { FAULTS, forgetsAllBut } from "../../../test/chain-faults.ts";
import { dev, never, openChainService } from "../../../test/chain-service.ts";
import { recordedHash, recordedNode } from "../../../test/recorded-blocks.ts";
import { type PublicKey, publicKeyOf, RAW_PER_XNO } from "../kernel/nano.ts";
import { accountKey, accountText } from "./account.ts";
import type { Lookup } from "./adapter.ts";
import { blockHash, signed } from "./block.ts";
import { answerTo, type Fault, honest } from "./dev/node.ts";
import { contentsJson } from "./dev/shapes.ts";

const project = dev("project").key;
const escrow = dev("escrow").key;

const keyOf = (text: string): PublicKey => accountKey(text) ?? assert.fail(text);

test("recorded transfers of the live network are what they were", async (t) => {
  const { adapter } = await openChainService(t, [recordedNode()]);
  const first = keyOf("nano_1nanoftwk6741wmdznzangwm8prq95spu3zntb5gwpjdk8qd3p8eu5bxoehc");
  const second = keyOf("xrb_1w77aapnijnm5mo16r3xtpqu7n459r61fqpcdt3kxfmz8gtqgzbozswxmduy");
  const lookUp = (start: string, account: PublicKey) =>
    adapter.lookup(recordedHash(start).toLowerCase(), account, never);
  const credited = (answer: Lookup) => {
    assert.equal(answer.kind, "credited");
    const { sendHash, amountRaw, proof, state } = answer;
    return [sendHash.slice(0, 8), amountRaw, proof, state];
  };

  for (const start of ["82CDDC38", "E82CDC90"])
    assert.deepEqual(credited(await lookUp(start, first)), [
      "82CDDC38",
      RAW_PER_XNO,
      "receive_signed",
      "received",
    ]);
  const reason = async (start: string, account: PublicKey) => {
    const answer = await lookUp(start, account);
    return answer.kind === "not_to_account" ? answer.reason : answer.kind;
  };
  assert.equal(await reason("96970559", first), "outgoing");
  assert.equal(await reason("62EE070D", first), "no_value");
  assert.equal(await reason("C4BDB107", first), "other_account");
  assert.equal(await reason("D9917582", second), "no_value");
  for (const [start, amount] of [
    ["C4BDB107", RAW_PER_XNO],
    ["D96D7291", 10n ** 27n],
  ] as const)
    assert.deepEqual(credited(await lookUp(start, second)), [
      start,
      amount,
      "node_reported",
      "receivable",
    ]);
  for (const start of ["47374309", "A972FF5D"])
    assert.deepEqual(credited(await lookUp(start, second)), [
      "47374309",
      RAW_PER_XNO,
      "node_reported",
      "received",
    ]);

  const target = recordedNode()(
    "blocks_info",
    {},
    JSON.stringify({ hashes: [recordedHash("96970559")] }),
  );
  const { link } =
    Object.values<{ contents: { link: PublicKey } }>(JSON.parse(target.body).blocks)[0]?.contents ??
    assert.fail();
  assert.deepEqual(credited(await lookUp("96970559", link)), [
    "96970559",
    RAW_PER_XNO,
    "send_chain",
    "receivable",
  ]);
});

test("a transfer is the same one by its send and by its receive", async (t) => {
  const { chain, adapter } = await openChainService(t);
  const send = chain.wallet.send(dev("alice"), project, 15n);
  const waiting = await adapter.lookup(send.hash, project, never);
  const expected = {
    kind: "credited",
    sendHash: send.hash,
    receiveHash: null,
    from: accountText(dev("alice").key),
    amountRaw: 15n,
    state: "receivable",
    proof: "send_chain",
    endpoints: 1,
  };
  assert.deepEqual(waiting, expected);

  const [receive] = chain.wallet.receive(dev("project"));
  const receiveHash = receive?.hash ?? assert.fail();
  const received = { ...expected, receiveHash, state: "received", proof: "receive_signed" };
  assert.deepEqual(await adapter.lookup(send.hash, project, never), received);
  assert.deepEqual(await adapter.lookup(receiveHash.toLowerCase(), project, never), received);
});

test("one look-up needs six calls at most", async (t) => {
  const { chain, adapter, calls } = await openChainService(t);
  const send = chain.wallet.send(dev("alice"), project, 15n);
  chain.wallet.receive(dev("project"));
  await adapter.check();
  const before = calls.length;
  await adapter.lookup(send.hash, project, never);
  assert.ok(calls.length - before <= 6, calls.slice(before).join(" "));
});

test("a hash that is no transfer to the account says why", async (t) => {
  const { chain, adapter } = await openChainService(t);
  const { wallet } = chain;
  const reasonOf = async (hash: string, account = project) => {
    const answer = await adapter.lookup(hash, account, never);
    return answer.kind === "not_to_account" ? answer.reason : answer.kind;
  };
  const toProject = wallet.send(dev("alice"), project, 100n);
  wallet.receive(dev("project"));
  const spent = wallet.send(dev("project"), dev("bob").key, 10n);
  const toSelf = wallet.send(dev("project"), project, 10n);
  const [fromSelf] = wallet.receive(dev("project"));
  const toEscrow = wallet.send(dev("project"), escrow, 10n);
  const [fromProject] = wallet.receive(dev("escrow"));
  assert.equal(await reasonOf(spent.hash), "outgoing");
  assert.equal(await reasonOf(toSelf.hash), "self");
  assert.equal(await reasonOf(fromSelf?.hash ?? ""), "self");
  assert.equal(await reasonOf(toEscrow.hash, escrow), "internal");
  assert.equal(await reasonOf(fromProject?.hash ?? "", escrow), "internal");
  assert.equal(await reasonOf(toProject.hash, escrow), "other_account");
  assert.equal(await reasonOf(chain.genesis), "other_account");
  assert.equal(await reasonOf("AB".repeat(32)), "not_found");
  // The link of a receive is a hash, but looks like an account.
  const lookalike = publicKeyOf(toEscrow.hash) ?? assert.fail();
  assert.equal(await reasonOf(fromProject?.hash ?? "", lookalike), "no_value");
});

test("an unconfirmed transfer becomes one when the network confirms it", async (t) => {
  const { chain, adapter, calls } = await openChainService(t, [honest], { confirmAfter_ms: 1e9 });
  const send = chain.wallet.send(dev("alice"), project, 7n);
  const unconfirmed = { kind: "unconfirmed", sendHash: send.hash };
  assert.deepEqual(await adapter.lookup(send.hash, project, never), unconfirmed);
  // Nothing more is asked about it: 4 looks at the block, and its predecessor.
  assert.deepEqual(calls.filter((action) => action !== "blocks_info").sort(), [
    "block_count",
    "telemetry",
    "version",
  ]);
  chain.ledger.confirm(send.hash);
  assert.equal((await adapter.lookup(send.hash, project, never)).kind, "credited");

  const [receive] = chain.wallet.receive(dev("project"));
  const hash = receive?.hash ?? "";
  assert.deepEqual(await adapter.lookup(hash, project, never), unconfirmed);
  // Its send is confirmed; that its receive is not yet changes nothing about the money.
  const bySend = await adapter.lookup(send.hash, project, never);
  assert.deepEqual(bySend.kind === "credited" && [bySend.proof, bySend.receiveHash], [
    "send_chain",
    hash,
  ]);
});

test("a send or receive whose predecessor is forgotten is believed, and says so", async (t) => {
  const { chain } = await openChainService(t);
  const send = chain.wallet.send(dev("alice"), project, 9n);
  const forgetful = await openChainService(t, [forgetsAllBut(send.hash)]);
  assert.equal(forgetful.chain.wallet.send(dev("alice"), project, 9n).hash, send.hash);
  const answer = await forgetful.adapter.lookup(send.hash, project, never);
  assert.deepEqual(answer.kind === "credited" && [answer.proof, answer.amountRaw], [
    "node_reported",
    9n,
  ]);
});

test("nobody sends from a balance of another account", async (t) => {
  const bob = dev("bob");
  const { block } = (await openChainService(t)).chain.wallet.send(dev("alice"), escrow, 9n);
  const previous = blockHash(block);
  const theft = { ...block, account: bob.key, previous, balance: 0n, link: project };
  const hash = blockHash(theft);
  const contents = contentsJson({ ...theft, signature: signed(hash, bob.privateKey) });
  const colluding: Fault = (action, answer, request) => {
    const row = { contents, confirmed: "true" };
    return honest(action, request.includes(hash) ? { blocks: { [hash]: row } } : answer, request);
  };
  const { chain, adapter } = await openChainService(t, [colluding]);
  assert.equal(chain.wallet.send(dev("alice"), escrow, 9n).hash, previous);
  await assert.rejects(adapter.lookup(hash, project, never), /follows one of another account/);
});

/** Says that it forgets old blocks, and has forgotten them all. */
const pruned: Fault = (action, answer, request) =>
  action === "block_count"
    ? honest(action, { ...answer, pruned: "5" }, request)
    : FAULTS.knowsNothing(action, answer, request);

test("a send that a pruning node has forgotten is found among what waits", async (t) => {
  const { chain, adapter } = await openChainService(t, [pruned]);
  const send = chain.wallet.send(dev("alice"), project, 9n);
  const answer = await adapter.lookup(send.hash, project, never);
  assert.deepEqual(answer, {
    kind: "credited",
    sendHash: send.hash,
    receiveHash: null,
    from: accountText(dev("alice").key),
    amountRaw: 9n,
    state: "receivable",
    proof: "node_reported",
    endpoints: 1,
  });
  assert.equal((await adapter.lookup("AB".repeat(32), project, never)).kind, "not_found");
});

test("a send that a pruning node has forgotten is found by its receive", async (t) => {
  let forgotten = "";
  const { chain, adapter } = await openChainService(t, [
    (action, answer, request) =>
      (request.includes(forgotten) || action === "block_count" ? pruned : honest)(
        action,
        answer,
        request,
      ),
  ]);
  const send = chain.wallet.send(dev("alice"), project, 9n);
  const [receive] = chain.wallet.receive(dev("project"));
  forgotten = send.hash;
  const answer = await adapter.lookup(send.hash, project, never);
  assert.deepEqual(answer.kind === "credited" && [answer.receiveHash, answer.proof, answer.from], [
    receive?.hash,
    "receive_signed",
    accountText(dev("alice").key),
  ]);
});

test("a send is told with its target and amount, if it is one of the accounts'", async (t) => {
  const { chain, adapter } = await openChainService(t);
  const { wallet } = chain;
  wallet.send(dev("alice"), escrow, 100n);
  const [receive] = wallet.receive(dev("escrow"));
  const { hash } = wallet.send(dev("escrow"), dev("bob").key, 60n);
  const lookUp = (at: string, from = [project, escrow]) =>
    adapter.findSend(at.toLowerCase(), from, never);
  const to = accountText(dev("bob").key);
  assert.deepEqual(await lookUp(hash), { kind: "sent", to, amountRaw: 60n, proof: "send_chain" });
  assert.deepEqual(await lookUp(hash, [project]), { kind: "no_send" });
  assert.deepEqual(await lookUp(receive?.hash ?? ""), { kind: "no_send" });
  assert.deepEqual(await lookUp("AB".repeat(32)), { kind: "not_found", isCertain: true });
});

test("a send that is not confirmed is not made", async (t) => {
  const { chain, adapter } = await openChainService(t, [FAULTS.neverConfirmed]);
  const { hash } = chain.wallet.send(dev("alice"), project, 60n);
  assert.deepEqual(await adapter.findSend(hash, [dev("alice").key], never), {
    kind: "unconfirmed",
  });
});

test("incoming transfers are listed once, in pages, the receivable before the received", async (t) => {
  const shortPages: Fault = (action, answer, request) => {
    const cut = request
      .replace('"count":"1000"', '"count":"2"')
      .replace('"count":"500"', '"count":"3"');
    return request === cut ? honest(action, answer, request) : again(cut);
  };
  const service = await openChainService(t, [shortPages]);
  const again = (request: string) => honest(...answerTo(service.chain, request), request);
  const { wallet } = service.chain;
  const received = [1n, 50n, 60n].map((amount) => wallet.send(dev("alice"), escrow, amount).hash);
  wallet.receive(dev("escrow"));
  wallet.send(dev("escrow"), project, 20n);
  const waiting = [70n, 2n, 90n, 80n].map(
    (amount) => wallet.send(dev("alice"), escrow, amount).hash,
  );
  const request = { thresholdRaw: 50n, history: { until: null } };
  const { entries: reported } = await service.adapter.lists(escrow, request, never);
  assert.deepEqual(
    reported.map(({ hash, amounts, state }) => [hash, amounts[0], state]),
    [
      [waiting[2], 90n, "receivable"],
      [waiting[3], 80n, "receivable"],
      [waiting[0], 70n, "receivable"],
      [received[2], 60n, "received"],
      [received[1], 50n, "received"],
    ],
  );
  assert.ok(reported.every(({ from }) => from === accountText(dev("alice").key)));
});

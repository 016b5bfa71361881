import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { FAULTS, only } from "../../../test/chain-faults.ts";
import { dev, givingUpAfter, never, openChainService } from "../../../test/chain-service.ts";
import { Rejection } from "../kernel/contract/errors.ts";
import { ChainUnavailable } from "./adapter.ts";
import { type Fault, honest } from "./dev/node.ts";
import { LOOKUPS_AT_ONCE } from "./open.ts";
import { callNode, RpcFailure } from "./rpc.ts";

const project = dev("project").key;
const UNKNOWN = "AB".repeat(32);

/** A fault that can be switched. */
function switched(first: Fault) {
  let fault = first;
  const to = (next: Fault) => {
    fault = next;
  };
  const node: Fault = (action, answer, request) => fault(action, answer, request);
  return { node, to };
}

test("an endpoint that fails five times in a row rests, longer each time", async (t) => {
  const { node, to } = switched(honest);
  const { adapter, calls, pass } = await openChainService(t, [node]);
  const unavailable = async () => {
    const error = await adapter.lookup(UNKNOWN, project, never).then(
      () => assert.fail("It answers."),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof ChainUnavailable);
    return error.retryAfterS;
  };
  await adapter.check();
  to(FAULTS.brokenProxy);
  await unavailable(); // Three failures.
  assert.equal(await unavailable(), 15); // The fifth opens the breaker in the middle of the retries.
  const before = calls.length;
  assert.equal(await unavailable(), 15);
  assert.equal(calls.length, before, "a resting endpoint is not asked");

  for (const pause_s of [30, 60, 120, 240, 300, 300]) {
    pass(310_000);
    assert.equal(await unavailable(), pause_s);
  }
  assert.deepEqual(adapter.health().state, "down");
  assert.deepEqual(adapter.health().endpoints[0]?.last_error, "answers 500");

  pass(310_000);
  to(honest);
  assert.deepEqual(await adapter.lookup(UNKNOWN, project, never), { kind: "not_found" });
  assert.equal(adapter.health().state, "ok");
});

test("a call is tried three times where that may help, and once where it may not", async (t) => {
  for (const [fault, attempts] of [
    [FAULTS.throttled, 3],
    [FAULTS.noJson, 3],
    [FAULTS.halfABody, 3],
    [FAULTS.blocked, 1],
    [FAULTS.nodeError, 1],
    [FAULTS.hugeBody, 1],
  ] as const) {
    let tried = 0;
    // On a busy machine an honest answer, or one of the attempts, may be given up, too.
    for (const callMax_ms of [250, 2_500, 25_000].values().filter(() => tried < attempts)) {
      const pace = givingUpAfter(callMax_ms);
      const { adapter, calls } = await openChainService(
        t,
        [only(["blocks_info", "block_info"], fault)],
        {
          pace,
        },
      );
      await assert.rejects(adapter.lookup(UNKNOWN, project, never), ChainUnavailable);
      tried = calls.filter((action) => action === "blocks_info").length;
    }
    assert.equal(tried, attempts);
  }
});

/** Everything from an amount on, with the whole history. */
const listed = (thresholdRaw: bigint) => ({ thresholdRaw, history: { until: null } });

test("nodes before V23 and careful proxies are asked in the older words, and it is remembered", async (t) => {
  const newer = ["receivable", "receivable_exists"];
  const { adapter, chain, calls } = await openChainService(t, [only(newer, FAULTS.notAllowed)]);
  for (const amount of [1n, 2n, 3n]) {
    const { hash } = chain.wallet.send(dev("alice"), project, amount);
    const answer = await adapter.lookup(hash, project, never);
    assert.equal(answer.kind === "credited" && answer.amountRaw, amount);
  }
  const asked = (name: string) => calls.filter((action) => action === name).length;
  assert.equal(asked("receivable_exists"), 1);
  assert.equal(asked("pending_exists"), 3);
  const { entries: reported } = await adapter.lists(project, listed(2n), never);
  assert.deepEqual(
    reported.flatMap(({ amounts }) => amounts),
    [3n, 2n],
  );
});

test("the three shapes of what waits are one", async (t) => {
  for (const dropped of [[], ["source"], ["source", "threshold", "sorting"]]) {
    const { chain, adapter } = await openChainService(t, [
      (action, answer, request) => {
        const rows = Object.entries<{ amount: string }>(
          JSON.parse(JSON.stringify(answer)).blocks ?? {},
        );
        if (action !== "receivable" || dropped.length === 0 || rows.length === 0)
          return honest(action, answer, request);
        const blocks =
          dropped.length === 1
            ? Object.fromEntries(rows.map(([hash, { amount }]) => [hash, amount]))
            : rows.map(([hash]) => hash);
        return honest(action, { blocks }, request);
      },
    ]);
    const { hash } = chain.wallet.send(dev("alice"), project, 5n);
    const { entries } = await adapter.lists(project, listed(1n), never);
    const [only, ...more] = entries;
    assert.deepEqual([only?.hash, only?.amounts, more], [hash, [5n], []]);
  }
});

test("a node that falls silent in the middle of a reading has not answered", async (t) => {
  const { chain, adapter } = await openChainService(t, [
    (action, answer, request) =>
      action === "account_history"
        ? { status: 500, body: "", sends: "whole" }
        : honest(action, answer, request),
  ]);
  chain.wallet.send(dev("alice"), project, 5n);
  const reading = adapter.lists(project, listed(1n), never);
  await assert.rejects(reading, { name: "ChainUnavailable" });
});

test("a hash that nobody knows is not asked for again for ten seconds", async (t) => {
  const { adapter, calls, pass } = await openChainService(t);
  const lookUp = () => adapter.lookup(UNKNOWN, project, never);
  assert.deepEqual(await lookUp(), { kind: "not_found" });
  const before = calls.length;
  assert.deepEqual(await lookUp(), { kind: "not_found" });
  assert.equal(calls.length, before);
  pass(10_001);
  assert.deepEqual(await lookUp(), { kind: "not_found" });
  assert.equal(calls.length, before + 1);
});

test("look-ups of one hash at one time are one, and one caller's leaving ends it for nobody", async (t) => {
  const { adapter, chain, calls } = await openChainService(t);
  const { hash } = chain.wallet.send(dev("alice"), project, 5n);
  await adapter.check();
  const before = calls.length;
  const leaving = new AbortController();
  const left = adapter.lookup(hash, project, leaving.signal);
  const stayed = [hash, hash.toLowerCase(), hash].map((one) => adapter.lookup(one, project, never));
  leaving.abort();
  await assert.rejects(left, ChainUnavailable);
  for (const answer of await Promise.all(stayed)) assert.equal(answer.kind, "credited");
  assert.ok(calls.length - before <= 3, calls.slice(before).join(" "));
});

test("more look-ups than can wait are refused at once, and waiting counts as waiting", async (t) => {
  const { pace, limit, limits } = heldLimits();
  const busy = Promise.withResolvers<void>();
  let asked = 0;
  const silent: Fault = (action, answer, request) => {
    if (action === "blocks_info" && ++asked === LOOKUPS_AT_ONCE) busy.resolve();
    return only(["blocks_info"], FAULTS.silence)(action, answer, request);
  };
  const { adapter } = await openChainService(t, [silent], { pace, limit });
  await adapter.check();
  const hashes = Array.from({ length: 73 }, (_, i) => String(i).padStart(64, "A"));
  const ends = hashes.map((hash) =>
    adapter.lookup(hash, project, never, `agent ${hash}`).catch((error: unknown) => error),
  );
  const first = await Promise.race(ends);
  assert.ok(first instanceof Rejection && first.code === "overloaded");
  await busy.promise;
  assert.equal(limits.length, hashes.length, "the clock of those that wait runs");
  for (const held of limits) held.abort();
  const rest = await Promise.all(ends);
  assert.equal(rest.filter((end) => end instanceof ChainUnavailable).length, 72);
  assert.equal(asked, LOOKUPS_AT_ONCE);
});

/** The limits of whole look-ups are reached when a test says so. */
function heldLimits() {
  const pace = givingUpAfter(60_000);
  const limits: AbortController[] = [];
  const limit = (max_ms: number) => {
    if (max_ms !== pace.workMax_ms) return AbortSignal.timeout(max_ms);
    const held = new AbortController();
    limits.push(held);
    return held.signal;
  };
  return { pace, limit, limits };
}

test("one agent has four look-ups, and the service has slots of its own", async (t) => {
  const silent: Fault = (...answer) =>
    answer[2].includes(BESIEGED) ? FAULTS.silence(...answer) : honest(...answer);
  const { adapter, chain } = await openChainService(t, [silent]);
  const { hash: own } = chain.wallet.send(dev("alice"), project, 5n);
  const leaving = new AbortController();
  const lookUp = (name: string, agent: string) => {
    const hash = Buffer.from(name).toString("hex").padStart(56, "0") + BESIEGED;
    return adapter.lookup(hash, project, leaving.signal, agent);
  };
  const ofOne = [1, 2, 3, 4].map((n) => lookUp(`ada ${n}`, "ada"));
  await assert.rejects(lookUp("ada 5", "ada"), { code: "overloaded" });
  const ofOthers = Array.from({ length: 68 }, (_, n) => lookUp(`${n}`, `agent ${n}`));
  const flood = Promise.allSettled([...ofOne, ...ofOthers]);
  await assert.rejects(lookUp("late", "latecomer"), { code: "overloaded" });
  const seen = await adapter.lookup(own, project, never);
  assert.equal(seen.kind, "credited", "while 72 look-ups of agents run or wait");
  leaving.abort();
  assert.ok((await flood).every(({ status }) => status === "rejected"));
});

/** The end of hashes about which the node never answers. */
const BESIEGED = "BE51E6ED";

test("health tells which endpoints may be asked, and no more of them than their hosts", async (t) => {
  const { adapter, nodes } = await openChainService(t, [honest, FAULTS.otherNetwork], {});
  assert.equal(adapter.health().state, "down", "nothing was looked at yet");
  await adapter.check();
  const { state, endpoints, last_ok_at, contradictions } = adapter.health();
  assert.equal(state, "degraded");
  assert.ok(last_ok_at !== null);
  assert.equal(contradictions, 0);
  assert.deepEqual(endpoints, [
    { name: new URL(nodes[0]?.url ?? "").host, ok: true, last_error: null, block_count: 1 },
    {
      name: new URL(nodes[1]?.url ?? "").host,
      ok: false,
      last_error: "is on another network",
      block_count: null,
    },
  ]);
});

test("a contradiction is counted, and told with the name of its endpoint", async (t) => {
  const { adapter, chain, alarms, nodes } = await openChainService(t, [FAULTS.badSignature]);
  const { hash } = chain.wallet.send(dev("alice"), project, 5n);
  await assert.rejects(adapter.lookup(hash, project, never), /signature/);
  assert.equal(adapter.health().contradictions, 1);
  const endpoint = new URL(nodes[0]?.url ?? "").host;
  const what = "a block's signature is not its account's";
  assert.deepEqual(alarms, [{ what: "chain_contradiction", facts: { endpoint, what } }]);
});

/** A server that does what the handler does; its address. */
async function serverOf(t: TestContext, handler: Parameters<typeof createServer>[1]) {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

test("a call carries the operator's header, and follows no redirection", async (t) => {
  const seen: (string | undefined)[] = [];
  const elsewhere = await serverOf(t, (_, res) => {
    seen.push("redirected");
    res.end("{}");
  });
  const url = await serverOf(t, (req, res) => {
    seen.push(req.headers.authorization);
    res.writeHead(307, { location: elsewhere }).end();
  });
  await assert.rejects(
    callNode({ url, authorization: "Bearer 5" }, { action: "version" }, never),
    RpcFailure,
  );
  assert.deepEqual(seen, ["Bearer 5"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { message, speakerOf } from "../../../test/a2a.ts";
import { newPair, setKey } from "../../../test/act-keys.ts";
import { readLedger } from "../../../test/invariants.ts";
import {
  ENGINES,
  eachEngine,
  openTestService,
  type TestAgent,
  type TestService,
} from "../../../test/service.ts";
import { banAgent } from "../../domains/identity/bans/bans.ts";
import { authenticator } from "../../domains/identity/tokens.ts";
import { MIB } from "../../domains/quota/rules.ts";
import { delegated } from "../../domains/requests/contract.ts";
import { delegatedHandlers } from "../../domains/requests/handlers.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { REQUESTS_EXTENSION } from "../describe/agent-card.ts";
import { READ_SLOTS, readLimiter } from "../dispatch/read-limiter.ts";
import { bindOne } from "../dispatch/registry.ts";
import { performOf } from "./calls.ts";

// Every write of this door comes through `invoke`, so it is charged, tried, repeated and signed as any other.

interface Params {
  readonly id?: string;
  readonly message?: object;
}

interface A2aWrite {
  readonly method: "SendMessage" | "CancelTask";
  readonly params: Params;
  /** The kind of the entry that it makes. */
  readonly kind: string;
  /** Whether an act key signs it. */
  readonly isSigned: boolean;
}

const saying = (said: object, taskId?: string) => ({
  message: message({ taskId, metadata: { [REQUESTS_EXTENSION]: said } }),
});

/** Each write of the door, of which none was sent yet. */
async function unsent(service: TestService, ada: TestAgent): Promise<Readonly<A2aWrite[]>> {
  const bob = await service.register();
  const { call } = speakerOf(service, ada);
  const task = async (ends: string): Promise<string> =>
    (await call("SendMessage", saying({ ends }))).result.task.id;
  const answered = async () => {
    const id = await task("accepted");
    const sent = { request_id: id, answer: "Done." };
    return [id, (await bob.post("/request/answer", sent)).body.id] as const;
  };
  const [[accepted, answer], [refused, other]] = [await answered(), await answered()];
  const closes_at = service.service.clock.now() + 7_200;
  const send = (kind: string, params: Params, isSigned = false): A2aWrite => ({
    ...{ method: "SendMessage", params, kind, isSigned },
  });
  return [
    send("request", { message: message() }),
    send("request", saying({ ends: "accepted", closes_at }), true),
    send("request_message", { message: message({ taskId: await task("first") }) }),
    send("request_accepted", saying({ accept: answer }, accepted), true),
    send("request_refused", saying({ refuse: other }, refused), true),
    {
      ...{ method: "CancelTask", params: { id: await task("first") } },
      ...{ kind: "request_withdrawn", isSigned: true },
    },
  ];
}

async function entriesOf(service: TestService): Promise<readonly string[]> {
  await service.sequenced();
  return (await readLedger(service)).map(({ kind }) => kind);
}

/** The entries that a call makes, and what it was answered with. */
async function made(service: TestService, agent: TestAgent, { method, params }: A2aWrite) {
  const before = (await entriesOf(service)).length;
  const { result, error } = await speakerOf(service, agent).call(method, params);
  return { kinds: (await entriesOf(service)).slice(before), result, error };
}

/** With `dry_run`, where a write can be tried. */
const trialOf = ({ params, ...write }: A2aWrite): A2aWrite => ({
  ...write,
  params: { ...params, ...Object({ metadata: { dry_run: true } }) },
});

const reasonOf = (error: { readonly data?: readonly { readonly reason: string }[] }) =>
  error?.data?.[0]?.reason;

eachEngine("each write of A2A is made, and tried before without a trace", async (service) => {
  const ada = await service.register("ada");
  for (const write of await unsent(service, ada)) {
    const tried = await made(service, ada, trialOf(write));
    assert.deepEqual(tried.kinds, [], write.kind);
    if (write.method === "CancelTask") assert.match(tried.error.message, /is not taken here/);
    else {
      const { data } = tried.result.message.parts[1];
      assert.deepEqual([data.dry_run, data.repeated], [true, undefined], write.kind);
      assert.deepEqual(
        data.entries.map(({ kind }: { kind: string }) => kind),
        [write.kind],
      );
    }
    const { kinds, error } = await made(service, ada, write);
    assert.deepEqual([kinds, error], [[write.kind], undefined]);
  }
});

eachEngine("a write of A2A that is sent again is made once", async (service) => {
  const ada = await service.register("ada");
  for (const write of await unsent(service, ada)) {
    const [first, again] = [await made(service, ada, write), await made(service, ada, write)];
    assert.deepEqual([first.kinds, again.kinds], [[write.kind], []]);
    if (write.method === "CancelTask") assert.equal(reasonOf(again.error), "TASK_NOT_CANCELABLE");
    else {
      assert.deepEqual(again.result, first.result);
      const { data } = (await made(service, ada, trialOf(write))).result.message.parts[1];
      assert.deepEqual([data.repeated, data.entries], [true, []], write.kind);
      const own = await ada.get(`/me/writes?client_ref=${Object(write.params.message).messageId}`);
      assert.equal(own.body.count, 1, "it is found by the id of its message");
    }
  }
  const long = { message: message({ messageId: "m".repeat(128) }) };
  const write = { ...REQUEST, params: long };
  const [first, again] = [await made(service, ada, write), await made(service, ada, write)];
  assert.deepEqual([first.kinds, again.kinds, again.error], [["request"], [], undefined]);
});

const REQUEST = { method: "SendMessage", kind: "request", isSigned: false } as const;

for (const engine of ENGINES)
  test(`an agent whose bytes are spent writes nothing over A2A [${engine}]`, async (t) => {
    const service = await openTestService(engine, t.name, { CAIRN_AGENT_MIB_PER_DAY: "1" });
    t.after(() => service.close());
    const [ada, eve] = [await service.register("ada"), await service.register("eve")];
    const writes = await unsent(service, ada);
    const { id } = await holder(service, ada);
    const caller = { agent: { id }, isNewcomer: true, network: null, isFree: false };
    service.service.quota.charge(caller, MIB / 2)(MIB);
    for (const write of writes) {
      const { kinds, error } = await made(service, ada, write);
      assert.deepEqual([kinds, reasonOf(error)], [[], "RATE_LIMITED"], write.kind);
    }
    const other = { ...REQUEST, params: { message: message() } };
    assert.deepEqual((await made(service, eve, other)).kinds, ["request"], "another agent writes");
  });

/** An agent as its token shows it now. */
const holder = ({ service: { context, store } }: TestService, { token }: TestAgent) =>
  authenticator({ ...context, generation: store.generation }).authenticate(token);

/** Calls of an agent whose token was looked at before, as a long body leaves time for. */
async function begun(service: TestService, of: TestAgent) {
  const { context, quota } = service.service;
  const agent = await holder(service, of);
  const perform = performOf({
    dispatcher: {
      ...{ context, charge: quota.charge, reads: readLimiter(READ_SLOTS) },
      anyLiveToken: async () => false,
    },
    operations: bindOne("requests", delegated, delegatedHandlers),
    baseUrl: "http://127.0.0.1:8080",
  });
  const caller = {
    ...{ agent, sender: null, now_ms: () => 0, takeStream: () => () => {} },
    hear: (error: unknown) => (error instanceof Rejection ? error : assert.fail(String(error))),
    stillCaller: async () => agent,
    waiter: { shares: () => [], onDisconnect: () => () => {}, leaveSlot: () => {} },
  };
  return async ({ method, params }: A2aWrite) => {
    const outcome = await perform({ version: "1.0", method, params, query: {} }, caller);
    return "refusal" in outcome ? outcome.refusal.reason : "made";
  };
}

eachEngine("nothing is written over A2A by a token that has ended meanwhile", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const [banned, replaced] = [await begun(service, ada), await begun(service, bob)];
  const [ofAda, ofBob] = [await unsent(service, ada), await unsent(service, bob)];
  const [control] = await unsent(service, ada);
  assert.equal(control && (await banned(control)), "made");
  await banAgent(service.service.context, { agent: "ada", reason: "Spam." });
  assert.equal((await bob.post("/token/rotate")).status, 200);
  const before = (await entriesOf(service)).length;
  for (const write of ofAda) assert.equal(await banned(write), "AGENT_BANNED", write.kind);
  for (const write of ofBob) assert.equal(await replaced(write), "TOKEN_UNKNOWN", write.kind);
  assert.equal((await entriesOf(service)).length, before);
});

eachEngine("what an act key signs is refused over A2A, also as a trial", async (service) => {
  const ada = await service.register("ada");
  const writes = await unsent(service, ada);
  await setKey(ada, newPair());
  for (const write of writes) {
    const trials = write.method === "CancelTask" ? [] : [trialOf(write)];
    for (const each of write.isSigned ? [...trials, write] : []) {
      const { kinds, error } = await made(service, ada, each);
      assert.deepEqual([kinds, reasonOf(error)], [[], "ACT_UNSIGNED"], write.kind);
      assert.match(error.message, /^Your act key signs this\. Do it with POST \/api\/v1\/request/);
    }
    if (!write.isSigned)
      assert.deepEqual((await made(service, ada, write)).kinds, [write.kind], "rests on the token");
  }
});

eachEngine("a live token is refused in what A2A stores", async (service) => {
  const ada = await service.register("ada");
  const parts = [{ text: `My token is ${ada.token}.` }];
  for (const write of await unsent(service, ada)) {
    if (write.method === "CancelTask" || write.kind === "request_accepted") continue;
    const params = { message: { ...write.params.message, parts } };
    const { kinds, error } = await made(service, ada, { ...write, params });
    assert.deepEqual([kinds, /live token/.test(error.message)], [[], true], write.kind);
  }
});

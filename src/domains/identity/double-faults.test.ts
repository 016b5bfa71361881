import { newPair, type Pair, toSign } from "../../../test/act-keys.ts";
import {
  by,
  type Call,
  type Fault,
  field,
  made,
  type Told,
  tellsFirst,
} from "../../../test/double-faults.ts";
import { operate } from "../../../test/operator.ts";
import { eachEngine, type TestAgent } from "../../../test/service.ts";
import { days } from "../../platform/kernel/time.ts";
import { agentKey, agentKeyKept, agentKeyLost } from "./keys/ledger.ts";
import { handle } from "./ledger.ts";

eachEngine("of two faults in a handle the first is told", async (service) => {
  await service.register("bob");
  const eve = await service.register("eve");
  await operate(service.service, "text hide", "agent", eve.agent_id, "--rule", "R2");
  let n = 0;
  await tellsFirst(service, {
    fresh: async (): Promise<Call> => ({
      path: "/handle",
      by: await service.register(),
      body: { handle: `ada-${++n}` },
    }),
    faults: [
      field("handle", "A", "validation_failed", ["has one", "is withheld"]),
      {
        name: "has one",
        code: handle.refuses.set,
        put: ({ by }) => made(by.post("/handle", { handle: `cleo-${++n}` })),
      },
      field("handle", "bob", handle.refuses.taken, ["handle is A", "handle is eve"]),
      field("handle", "eve", handle.refuses.taken, ["handle is A", "handle is bob"]),
    ],
  });
});

/** A call about the key of its agent, with the key in force and a new one. */
interface KeyCall extends Call {
  readonly old: Pair;
  readonly key: Pair;
}

/** An agent's key, set and signed as its refusal asks. */
async function change(agent: TestAgent, key: Pair, old: Pair | null, recover_s = 0) {
  const wanted = { pubkey: key.pubkey, recover_s };
  const { text, act, not_after } = toSign(await agent.post("/key", wanted));
  const signatures = {
    signature: key.sign(text),
    ...(old && { signature_old: old.sign(text) }),
  };
  return { ...wanted, act, not_after, ...signatures };
}

const keyed = async (
  { register }: { readonly register: () => Promise<TestAgent> },
  recover_s: number,
) => {
  const [by, old, key] = [await register(), newPair(), newPair()];
  await made(by.post("/key", await change(by, old, null, recover_s)));
  return { by, old, key };
};

eachEngine("of two faults in a key the first is told", async (service) => {
  const unsigned = (name: string, code: Told): Fault<Call> => ({
    name: `without ${name}`,
    code,
    put({ body }) {
      delete body[name];
    },
  });
  await tellsFirst(service, {
    async fresh(): Promise<KeyCall> {
      const { by, old, key } = await keyed(service, 0);
      return { path: "/key", by, old, key, body: await change(by, key, old) };
    },
    faults: [
      field("pubkey", "0".repeat(64), agentKey.refuses.pubkey),
      field("recover_s", 5, agentKey.refuses.recover),
      field("act", 1, agentKey.refuses.stale, ["act is 9000000"]),
      field("act", 9_000_000, agentKey.refuses.gap, ["act is 1"]),
      field("not_after", service.service.context.clock.now() + days(3), agentKey.refuses.ahead),
      unsigned("signature", agentKey.refuses.own),
      unsigned("signature_old", agentKey.refuses.old),
    ],
  });
});

eachEngine("of two faults in the loss of a key the first is told", async (service) => {
  await tellsFirst(service, {
    async fresh(): Promise<KeyCall> {
      const { by, old, key } = await keyed(service, days(7));
      return { path: "/key/recover", by, old, key, body: { pubkey: key.pubkey } };
    },
    faults: [
      {
        name: "without a time",
        code: agentKeyLost.refuses.never,
        without: ["tried"],
        async put(call) {
          call.by = (await keyed(service, 0)).by;
        },
      },
      {
        name: "tried",
        code: agentKeyLost.refuses.often,
        put: ({ by }) => made(by.post("/key/recover", { pubkey: newPair().pubkey })),
      },
      field("pubkey", "0".repeat(64), agentKey.refuses.pubkey),
    ],
  });
});

eachEngine("nobody keeps a key that there is not", async (service) => {
  await tellsFirst(service, {
    async fresh(): Promise<Call> {
      const { by } = await keyed(service, 0);
      return { path: "/key/keep", by, body: {} };
    },
    faults: [by("one without a key", agentKeyKept.refuses.keyless, () => service.register())],
  });
});

import { randomBytes } from "node:crypto";
import type { ChainAdapter, Lookup } from "../src/chain/adapter.ts";
import type { Context } from "../src/context.ts";
import { publicKeyOf } from "../src/kernel/nano.ts";
import { publicServer } from "../src/main/listeners.ts";
import { readConfiguration } from "../src/main/settings.ts";
import { clientOf, eachEngine, type TestWorld, urlOf } from "./world.ts";

/** The network that a node would stand for: it knows the transfers that a test tells it. */
export interface ToldChain {
  /** What the lookup of a hash comes to; an error is thrown. Unknown hashes are not found. */
  tell(hash: string, found: Lookup | Error): void;
  /** A confirmed transfer to the project, known under both its hashes once it is received. */
  transfer(amountRaw: bigint, state?: "receivable" | "received"): Transfer;
  /** The hashes that were asked for. */
  readonly asked: string[];
}

export interface Transfer {
  readonly send: string;
  readonly receive: string;
  /** The account takes what was receivable. */
  take(): void;
}

/** A hash that nobody has used, in the chain's notation. */
export const freshHash = (): string => randomBytes(32).toString("hex").toUpperCase();

const PROJECT = publicKeyOf("C008B814A7D269A1FA3C6528B19201A24D797912DB9996FF02A1FF356E45552B");

/** Runs a test on a fresh service of each engine that is connected to a chain of its own. */
export function eachEngineWithChain(
  name: string,
  run: (world: TestWorld, chain: ToldChain) => Promise<void>,
  changed: Partial<Context["settings"]> = {},
): void {
  eachEngine(name, async (bare) => {
    const { adapter, told } = toldChain();
    const settings = { ...bare.world.context.settings, projectKey: PROJECT, ...changed };
    const context = { ...bare.world.context, chain: adapter, settings };
    const server = publicServer({ ...bare.world, context }, readConfiguration({}), {
      now_ms: () => performance.now(),
      answered: () => {},
      failed: ({ route }, cause) => void bare.alarms.push(`${route}: ${cause}`),
    });
    const client = clientOf(await server.listen(0, "127.0.0.1").then(urlOf));
    const register: TestWorld["register"] = async (handle) => {
      const agent = await bare.register(handle);
      return {
        ...agent,
        get: (path) => client.get(path, agent),
        post: (path, fields) => client.post(path, fields, agent),
      };
    };
    try {
      await run({ ...bare, ...client, register }, told);
    } finally {
      await server.close();
    }
  });
}

function toldChain(): { readonly adapter: ChainAdapter; readonly told: ToldChain } {
  const known = new Map<string, Lookup | Error>();
  const asked: string[] = [];
  const adapter: ChainAdapter = {
    network: "dev",
    async lookup(hash) {
      asked.push(hash);
      await new Promise((resolve) => setTimeout(resolve, 1));
      const found = known.get(hash.toUpperCase()) ?? { kind: "not_found" };
      if (found instanceof Error) throw found;
      return found;
    },
    verifySend: async () => ({ kind: "not_found" }),
    async *incoming() {},
    health: () => ({ state: "ok", endpoints: [], last_ok_at: null, contradictions: 0 }),
  };
  const tell: ToldChain["tell"] = (hash, found) => void known.set(hash, found);

  function transfer(amountRaw: bigint, state = "received"): Transfer {
    const [send, receive] = [freshHash(), freshHash()];
    const credited = {
      kind: "credited",
      sendHash: send,
      from: "",
      amountRaw,
      endpoints: 1,
    } as const;
    const receivable = { receiveHash: null, state: "receivable", proof: "send_chain" } as const;
    const received = { receiveHash: receive, state: "received", proof: "receive_signed" } as const;
    const take = () => {
      for (const hash of [send, receive]) tell(hash, { ...credited, ...received });
    };
    tell(send, { ...credited, ...receivable });
    if (state === "received") take();
    return { send, receive, take };
  }

  return { adapter, told: { asked, tell, transfer } };
}

import { test } from "node:test";
import { publicServer } from "../src/main/listeners/listeners.ts";
import { readConfiguration } from "../src/main/settings/settings.ts";
import { type Fault, honest } from "../src/platform/chain/dev/node.ts";
import type { ChainParts } from "../src/platform/chain/open.ts";
import type { Context } from "../src/platform/context.ts";
import { type ChainService, dev, openChainService } from "./chain-service.ts";
import { checkInvariants } from "./invariants.ts";
import { clientOf, ENGINES, openTestService, type TestService, urlOf } from "./service.ts";

/** A service's dev chain, and what a test does there. */
export interface Payers extends ChainService {
  /** A confirmed transfer from alice to the project. */
  pay(amountRaw: bigint): Payment;
  /** What the nodes do wrong from now on, or so many of them; the others are honest. */
  spoil(fault: Fault, nodes?: number): void;
}

export interface Payment {
  /** The hash of the sending block. */
  readonly send: string;
  /** The project receives it; the hash of the receiving block. */
  receive(): string;
}

/** Runs a test on a fresh service of each engine that reads a dev chain of its own, and the invariants after it. */
interface Run {
  readonly nodes?: number;
  /** All, unless what is tested sees no storage. */
  readonly engines?: typeof ENGINES;
}

export function eachEngineWithChain(
  name: string,
  run: (service: TestService, payers: Payers) => Promise<void>,
  changed: Partial<Context["settings"]> = {},
  { nodes = 1, engines = ENGINES, ...parts }: Partial<ChainParts> & Run = {},
): void {
  for (const engine of engines) {
    test(`${name} [${engine}]`, async (t) => {
      const faults = Array.from({ length: nodes }, () => honest);
      const now = faults.map(
        (_, i): Fault =>
          (...answer) =>
            (faults[i] ?? honest)(...answer),
      );
      const chainService = await openChainService(t, now, parts);
      const bare = await openTestService(engine, name);
      const keys = { projectKey: dev("project").key, escrowKey: dev("escrow").key };
      const { context } = bare.service;
      const settings = { ...context.settings, ...keys, ...changed };
      const connected = { ...context, chain: chainService.adapter, settings };
      const server = publicServer({ ...bare.service, context: connected }, readConfiguration({}), {
        now_ms: () => performance.now(),
        answered: () => {},
        failed: ({ route }, cause) => void bare.alarms.push(`${route}: ${cause}`),
      });
      try {
        const url = await server.listen(0, "127.0.0.1").then(urlOf);
        const service = serviceAt(url, bare);
        const spoil = (next: Fault, spoilt = nodes) =>
          void faults.fill(next, 0, spoilt).fill(honest, spoilt);
        await run(service, { ...chainService, pay: payerOn(chainService), spoil });
        await checkInvariants(service);
      } finally {
        await server.close();
        await bare.close();
      }
    });
  }
}

/** The same service, seen through another listener. */
function serviceAt(url: string, bare: TestService): TestService {
  const client = clientOf(url);
  return {
    ...bare,
    ...client,
    url,
    async register(handle) {
      const agent = await bare.register(handle);
      return {
        ...agent,
        get: (path) => client.get(path, { token: agent.token }),
        post: (path, fields) => client.post(path, fields, { token: agent.token }),
      };
    },
  };
}

const payerOn =
  ({ chain: { wallet } }: ChainService): Payers["pay"] =>
  (amountRaw) => {
    const { hash } = wallet.send(dev("alice"), dev("project").key, amountRaw);
    return {
      send: hash,
      receive() {
        const received = wallet.receive(dev("project")).find(({ block }) => block.link === hash);
        if (received === undefined) throw new Error("Nothing waits for the project.");
        return received.hash;
      },
    };
  };

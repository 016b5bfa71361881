import { setTimeout } from "node:timers/promises";
import type { DevAccount } from "../src/platform/chain/dev/keys.ts";
import { devAccountNamed } from "../src/platform/chain/dev/keys.ts";
import {
  type DevChain,
  type DevNode,
  type Fault,
  honest,
  listenDevNode,
  openDevChain,
} from "../src/platform/chain/dev/node.ts";
import {
  type ChainParts,
  type OpenedChain,
  openChain,
  type Pace,
} from "../src/platform/chain/open.ts";

/** Endpoints answer, however busy the machine is: nothing is given up because it took long. */
const PATIENT: Pace = { callMax_ms: 60_000, workMax_ms: 600_000, poll_ms: 30, jitter: 0.05 };

/** For endpoints that never answer: they are given up after `callMax_ms`. */
export const givingUpAfter = (callMax_ms: number): Pace => ({ ...PATIENT, callMax_ms });

/** A test, or whatever else closes at its end what it was told to. */
interface Lifetime {
  after(close: () => Promise<unknown>): void;
}

/** A dev chain in memory whose blocks are confirmed at once, and the adapter that reads it over HTTP. */
export interface ChainService {
  readonly chain: DevChain;
  readonly nodes: readonly DevNode[];
  readonly adapter: OpenedChain;
  /** What the operator was told. */
  readonly alarms: { readonly what: string; readonly facts: unknown }[];
  /** Every call so far: its action. */
  readonly calls: string[];
  /** How long the adapter has paused in all, in the milliseconds that it asked for. */
  paused_ms(): number;
  /** Moves the adapter's clock, not the chain's. */
  pass(ms: number): void;
}

interface Timing {
  readonly confirmAfter_ms: number;
  readonly limit: (max_ms: number) => AbortSignal;
}

/** One endpoint for each fault, one after another; `honest` is one that has none. */
export async function openChainService(
  t: Lifetime,
  faults: readonly Fault[] = [honest],
  parts: Partial<ChainParts> & Partial<Timing> = {},
): Promise<ChainService> {
  const now_ms = () => performance.now();
  const chain = openDevChain({ file: null, confirmAfter_ms: parts.confirmAfter_ms ?? 0, now_ms });
  const calls: string[] = [];
  const nodes = await Promise.all(
    faults.map((fault) =>
      listenDevNode(chain, 0, (action, answer, request) => {
        calls.push(action);
        return fault(action, answer, request);
      }),
    ),
  );
  t.after(() => Promise.all(nodes.map((node) => node.close().catch(() => {}))));
  const alarms: ChainService["alarms"] = [];
  let passed_ms = 0;
  let paused_ms = 0;
  const adapter = openChain(
    {
      network: "dev",
      genesis: chain.genesis,
      urls: nodes.map(({ url }) => url),
      quorum: 1,
      authorization: null,
      own: () => [dev("project").key, dev("escrow").key],
      pace: PATIENT,
      ...parts,
    },
    {
      now_ms: () => now_ms() + passed_ms,
      wait(ms, signal) {
        paused_ms += ms;
        return setTimeout(ms, undefined, { signal }).catch(() => {});
      },
      limit: parts.limit ?? ((max_ms) => AbortSignal.timeout(max_ms)),
      random: (n) => new Uint8Array(n).fill(128),
      alarm: (what, facts) => void alarms.push({ what, facts }),
    },
  );
  const pass = (ms: number) => {
    passed_ms += ms;
  };
  return { chain, nodes, adapter, alarms, calls, paused_ms: () => paused_ms, pass };
}

/** An account of the dev chain. */
export function dev(name: string): DevAccount {
  const account = devAccountNamed(name);
  if (account === undefined) throw new Error(`The dev chain has no ${name}.`);
  return account;
}

/** A signal that nobody aborts. */
export const never = new AbortController().signal;

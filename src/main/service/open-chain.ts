import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { blockHash } from "../../platform/chain/block.ts";
import { devAccountNamed } from "../../platform/chain/dev/keys.ts";
import {
  CONFIRM_AFTER_MS,
  type DevChain,
  type DevNode,
  listenDevNode,
  openDevChain,
} from "../../platform/chain/dev/node.ts";
import { devGenesis } from "../../platform/chain/dev/wallet.ts";
import type { Environment } from "../../platform/chain/endpoint.ts";
import {
  type ChainParts,
  LIVE_GENESIS,
  type OpenedChain,
  openChain,
  PACE,
} from "../../platform/chain/open.ts";
import type { PublicKey } from "../../platform/kernel/nano.ts";
import type { Configuration } from "../settings/settings.ts";

/** The chain of a service, and its own accounts there. */
export interface ServiceChain {
  /** Null when no node is configured. */
  readonly chain: OpenedChain | null;
  readonly projectKey: PublicKey | null;
  readonly escrowKey: PublicKey | null;
  /** The dev chain itself; null on the live network. */
  readonly dev: DevChain | null;
  close(): Promise<void>;
}

/** The machine's own time. */
const time: Pick<Environment, "now_ms" | "wait" | "limit"> = {
  now_ms: Date.now,
  wait: async (wait_ms, signal) => setTimeout(wait_ms, undefined, { signal }).catch(() => {}),
  limit: (max_ms) => AbortSignal.timeout(max_ms),
};

const devChainFile = (dataDir: string): string => join(dataDir, "dev-chain.json");

const addresses = z.object({ url: z.url(), base_url: z.url() });

/** The dev chain's node and the address of a service that runs on this folder; null when none does. */
export function runningDevChain(dataDir: string): z.output<typeof addresses> | null {
  try {
    return addresses.parse(JSON.parse(readFileSync(devChainFile(dataDir), "utf8")));
  } catch {
    return null;
  }
}

interface Told extends Pick<Environment, "random" | "alarm"> {
  readonly baseUrl: string;
  /** The accounts that the database knows as the network's own. */
  readonly own: ChainParts["own"];
}

/** How a process comes by its chain. Rejects with a sentence when it cannot. */
export type ReachChain = (configuration: Configuration, reporting: Told) => Promise<ServiceChain>;

/** Opens the configured chain, as the service does: it runs the dev chain itself. */
export const openServiceChain: ReachChain = async (
  configuration,
  { baseUrl, own, ...reporting },
) =>
  configuration.devChain === "on"
    ? openDev(configuration, { baseUrl, own }, { ...reporting, ...time })
    : openLive(configuration, own, { ...reporting, ...time });

/** The same chain for a process beside the service: the dev chain is read where the service runs it. */
export const joinServiceChain: ReachChain = async (configuration, { random, alarm, own }) => {
  const around: Environment = { random, alarm, ...time };
  if (configuration.devChain === "off") return openLive(configuration, own, around);
  const running = runningDevChain(configuration.dataDir);
  const keys = devKeys();
  const chain = running && openChain(devParts(running.url, own), around);
  return { chain, ...keys, dev: null, close: async () => {} };
};

function openLive(
  configuration: Configuration,
  own: ChainParts["own"],
  around: Environment,
): ServiceChain {
  const { nanoRpcUrls, nanoRpcQuorum, nanoRpcAuth } = configuration;
  const { nanoAddress: projectKey, escrowNanoAddress: escrowKey } = configuration;
  const live = {
    network: "live",
    genesis: LIVE_GENESIS,
    urls: nanoRpcUrls,
    quorum: nanoRpcQuorum,
    authorization: nanoRpcAuth,
    own,
    pace: PACE,
  } as const;
  const chain = nanoRpcUrls.length === 0 ? null : openChain(live, around);
  return { chain, projectKey, escrowKey, dev: null, close: async () => {} };
}

async function openDev(
  { dataDir, devChainPort }: Configuration,
  { baseUrl, own }: Pick<Told, "baseUrl" | "own">,
  around: Environment,
): Promise<ServiceChain> {
  const { now_ms } = around;
  const file = join(dataDir, "dev-chain.ndjson");
  const dev = openDevChain({ file, confirmAfter_ms: CONFIRM_AFTER_MS, now_ms });
  const node = await listening(dev, devChainPort);
  const address = devChainFile(dataDir);
  writeFileSync(address, `${JSON.stringify({ url: node.url, base_url: baseUrl })}\n`);
  const keys = devKeys();
  return {
    chain: openChain(devParts(node.url, own), around),
    ...keys,
    dev,
    async close() {
      rmSync(address, { force: true });
      await node.close();
    },
  };
}

const devKeys = () => ({
  projectKey: devAccountNamed("project")?.key ?? null,
  escrowKey: devAccountNamed("escrow")?.key ?? null,
});

const devParts = (url: string, own: ChainParts["own"]): ChainParts => ({
  network: "dev",
  genesis: blockHash(devGenesis()),
  urls: [url],
  quorum: 1,
  authorization: null,
  own,
  pace: PACE,
});

const listening = (dev: DevChain, port: number): Promise<DevNode> =>
  listenDevNode(dev, port).catch((cause: Error) => {
    throw new Error(`The dev chain cannot listen on port ${port}: ${cause.message}`, { cause });
  });

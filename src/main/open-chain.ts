import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { devAccountNamed } from "../chain/dev/keys.ts";
import {
  CONFIRM_AFTER_MS,
  type DevChain,
  type DevNode,
  listenDevNode,
  openDevChain,
} from "../chain/dev/node.ts";
import type { Surroundings } from "../chain/endpoint.ts";
import { LIVE_GENESIS, type OpenedChain, openChain, PACE } from "../chain/open.ts";
import type { PublicKey } from "../kernel/nano.ts";
import type { Configuration } from "./settings.ts";

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

/** Where `cairn dev-chain` finds the node and the address of a service that runs. */
export const devChainFile = (dataDir: string): string => join(dataDir, "dev-chain.json");

/** Opens the configured chain. Rejects with a sentence when the dev chain cannot start. */
export async function openServiceChain(
  configuration: Configuration,
  { baseUrl, ...told }: Pick<Surroundings, "random" | "alarm"> & { readonly baseUrl: string },
): Promise<ServiceChain> {
  const around: Surroundings = { ...told, now_ms: Date.now, wait };
  if (configuration.devChain === "on") return openDev(configuration, baseUrl, around);
  const { nanoRpcUrls, nanoRpcQuorum, nanoRpcAuth } = configuration;
  const { nanoAddress: projectKey, escrowNanoAddress: escrowKey } = configuration;
  const live = {
    network: "live",
    genesis: LIVE_GENESIS,
    urls: nanoRpcUrls,
    quorum: nanoRpcQuorum,
    authorization: nanoRpcAuth,
    own: [projectKey, escrowKey].filter((key) => key !== null),
    pace: PACE,
  } as const;
  const chain = nanoRpcUrls.length === 0 ? null : openChain(live, around);
  return { chain, projectKey, escrowKey, dev: null, close: async () => {} };
}

async function openDev(
  { dataDir, devChainPort }: Configuration,
  baseUrl: string,
  around: Surroundings,
): Promise<ServiceChain> {
  const { now_ms } = around;
  const file = join(dataDir, "dev-chain.ndjson");
  const dev = openDevChain({ file, confirmAfter_ms: CONFIRM_AFTER_MS, now_ms });
  const node = await listening(dev, devChainPort);
  const address = devChainFile(dataDir);
  writeFileSync(address, `${JSON.stringify({ url: node.url, base_url: baseUrl })}\n`);
  const projectKey = devAccountNamed("project")?.key ?? null;
  const escrowKey = devAccountNamed("escrow")?.key ?? null;
  const parts = {
    network: "dev",
    genesis: dev.genesis,
    urls: [node.url],
    quorum: 1,
    authorization: null,
    own: [projectKey, escrowKey].filter((key) => key !== null),
    pace: PACE,
  } as const;
  return {
    chain: openChain(parts, around),
    projectKey,
    escrowKey,
    dev,
    async close() {
      rmSync(address, { force: true });
      await node.close();
    },
  };
}

const listening = (dev: DevChain, port: number): Promise<DevNode> =>
  listenDevNode(dev, port).catch((cause: Error) => {
    throw new Error(`The dev chain cannot listen on port ${port}: ${cause.message}`, { cause });
  });

/** Ends early, without an error, when the signal is aborted. */
async function wait(wait_ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(wait_ms, undefined, { signal }).catch(() => {});
}

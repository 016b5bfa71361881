import { accountKey } from "../../platform/chain/account.ts";
import { ZERO } from "../../platform/chain/block.ts";
import type { PublicKey } from "../../platform/kernel/nano.ts";
import { webUrlIn } from "../../platform/kernel/url.ts";

const URLS_MAX = 8;

/** Addresses of Nano nodes, parted by commas; a query may hold the key of a provider. */
export function nodeUrls(text: string): readonly string[] | undefined {
  const urls = text.split(",").map((part) => part.trim());
  const isRight = urls.every((part) => {
    const url = webUrlIn(part);
    return url !== null && !url.hash;
  });
  return isRight && urls.length <= URLS_MAX && new Set(urls).size === urls.length
    ? urls
    : undefined;
}

/** A Nano account; nobody has the key of the one that is all zero. */
export function nanoAccount(text: string): PublicKey | undefined {
  const key = accountKey(text);
  return key === null || key === ZERO ? undefined : key;
}

/** The settings of the chain, each fine for itself. */
export interface ChainSettings {
  readonly nanoRpcUrls: readonly string[];
  readonly nanoRpcQuorum: number;
  readonly nanoRpcAuth: string | null;
  readonly nanoAddress: PublicKey | null;
  readonly escrowNanoAddress: PublicKey | null;
  readonly devChain: "on" | "off";
}

/** Why they do not go together: a sentence, or null when they do. */
export function chainConflict(settings: ChainSettings): string | null {
  const { nanoRpcUrls, nanoRpcQuorum, nanoRpcAuth, nanoAddress, escrowNanoAddress } = settings;
  const isLive =
    nanoRpcUrls.length > 0 ||
    nanoRpcQuorum > 1 ||
    nanoRpcAuth !== null ||
    nanoAddress !== null ||
    escrowNanoAddress !== null;
  if (settings.devChain === "on" && isLive) {
    return "CAIRN_DEV_CHAIN sets nodes and accounts itself; take away CAIRN_NANO_… and CAIRN_ESCROW_NANO_ADDRESS, or CAIRN_DEV_CHAIN.";
  }
  if (nanoAddress !== null && nanoAddress === escrowNanoAddress) {
    return "CAIRN_NANO_ADDRESS and CAIRN_ESCROW_NANO_ADDRESS are the same account; contributions and payments must not mix.";
  }
  if (nanoRpcQuorum > Math.max(1, nanoRpcUrls.length)) {
    return `CAIRN_NANO_RPC_QUORUM is ${nanoRpcQuorum}, but CAIRN_NANO_RPC_URLS names ${nanoRpcUrls.length}.`;
  }
  if (nanoRpcAuth !== null && nanoRpcUrls.length === 0) {
    return "CAIRN_NANO_RPC_AUTH is for the nodes of CAIRN_NANO_RPC_URLS, which is not set.";
  }
  return null;
}

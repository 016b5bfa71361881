import type { Clock } from "../../platform/context.ts";
import { HOUR_S, type Seconds } from "../../platform/kernel/time.ts";

/** Networks that are remembered; beyond that the one that came first is forgotten. */
const NETWORKS_MAX = 50_000;

interface Share {
  readonly since: Seconds;
  bytes: number;
}

/** What the newcomers of each network have stored within an hour; counted by this process alone. */
export interface NetworkShares {
  /** 0 for an unknown network, which nothing is charged to. */
  bytesOf(network: string | null): number;
  add(network: string | null, bytes: number): void;
  /** Forgets hours that are over, so that no name outlives its key. */
  sweep(): void;
}

export function networkShares(clock: Clock): NetworkShares {
  const shares = new Map<string, Share>();
  const isOver = ({ since }: Share): boolean => clock.now() - since >= HOUR_S;

  return {
    bytesOf(network) {
      const share = network === null ? undefined : shares.get(network);
      return share === undefined || isOver(share) ? 0 : share.bytes;
    },
    add(network, bytes) {
      if (network === null) return;
      const share = shares.get(network);
      if (share !== undefined && !isOver(share)) {
        share.bytes += bytes;
        return;
      }
      shares.delete(network);
      shares.set(network, { since: clock.now(), bytes });
      if (shares.size > NETWORKS_MAX) shares.delete(shares.keys().next().value ?? network);
    },
    sweep() {
      for (const [network, share] of shares) if (isOver(share)) shares.delete(network);
    },
  };
}

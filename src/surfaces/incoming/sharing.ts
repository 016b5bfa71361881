import type { Sender } from "../../platform/kernel/contract/operation.ts";
import type { Share } from "../../platform/kernel/pools/fair-pool.ts";

/** A client of a pool that is shared. Without a known address only its agent counts, else its connection. */
interface Sharer {
  readonly agent: string | undefined;
  readonly sender: Sender | null | undefined;
  readonly connection: object;
}

/** The most that one agent, or one client without a token, and one network or site may hold. */
interface Maxima {
  readonly agent: number;
  readonly network: number;
}

const NOBODY = "";

/** From the outside in: the /48 of an IPv6 address, the network, the agent. */
export function sharesOf({ agent, sender, connection }: Sharer, max: Maxima): readonly Share[] {
  const networks = [sender?.site, sender?.network].flatMap((name) => name ?? []);
  const inner = agent ?? (networks.length > 0 ? NOBODY : connection);
  return [...networks.map((name) => ({ name, max: max.network })), { name: inner, max: max.agent }];
}

import type { Agent } from "../../context.ts";
import type { Holder, Waiter } from "../../kernel/contract/operation.ts";
import type { Exchange } from "./answer.ts";
import { onDisconnect } from "./disconnect.ts";
import type { Fields } from "./edge.ts";
import type { RequestSlot } from "./in-flight-limit.ts";
import type { Senders } from "./sender.ts";

/** Waits that one agent, or one address, may have at once. */
export const WAITS_PER_AGENT = 8;
export const WAITS_PER_ADDRESS = 64;

/** A request that may wait. */
interface Waiting {
  readonly exchange: Exchange;
  readonly head: { readonly fields: Fields };
  readonly slot: RequestSlot;
  readonly agent: Agent | null;
}

/**
 * The holder of a wait: the agent, else the address, else the connection. So nobody's waits end
 * because of others, but for those of the holder with most when the process has too many.
 */
export function waiterOf({ exchange, head, slot, agent }: Waiting, senders: Senders): Waiter {
  const { req } = exchange;
  function holder(): Holder {
    if (agent !== null) return { name: agent.agent_id, waits_max: WAITS_PER_AGENT };
    const network = senders.senderOf(req.socket, head.fields.forwardedFor)?.network;
    return { name: network ?? req.socket, waits_max: WAITS_PER_ADDRESS };
  }
  return { holder, onDisconnect: onDisconnect(req), leaveSlot: slot.leave };
}

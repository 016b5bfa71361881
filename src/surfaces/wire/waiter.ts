import type { Agent } from "../../platform/context.ts";
import type { Waiter } from "../../platform/kernel/contract/operation.ts";
import { sharesOf } from "../incoming/sharing.ts";
import type { Exchange } from "./answer.ts";
import { onDisconnect } from "./disconnect.ts";
import type { Fields } from "./edge.ts";
import type { RequestSlot } from "./in-flight-limit.ts";
import type { Senders } from "./sender.ts";

/** Waits that one agent, or one address, may have at once. */
export const WAITS_PER_AGENT = 8;
export const WAITS_PER_ADDRESS = 64;
/** Waits of one network, by whichever agents. */
export const WAITS_PER_NETWORK = 1_000;

/** A request that may wait. */
interface Waiting {
  readonly exchange: Exchange;
  readonly head: { readonly fields: Fields };
  readonly slot: RequestSlot;
  readonly agent: Agent | null;
}

/**
 * A wait is charged to its agent and its network, else to its connection. So nobody's waits end because of
 * others, but for those of the network, and in it of the agent, with most when the process has too many.
 */
export function waiterOf({ exchange, head, slot, agent }: Waiting, senders: Senders): Waiter {
  const { req } = exchange;
  const leaveSlot = () => {
    if (exchange.waits_ms === 0) exchange.waits_ms = exchange.now_ms();
    slot.leave();
  };
  const shares = () =>
    sharesOf(
      {
        agent: agent?.agent_id,
        sender: senders.senderOf(req.socket, head.fields.forwardedFor),
        connection: req.socket,
      },
      { agent: agent === null ? WAITS_PER_ADDRESS : WAITS_PER_AGENT, network: WAITS_PER_NETWORK },
    );
  return { shares, onDisconnect: onDisconnect(req), leaveSlot };
}

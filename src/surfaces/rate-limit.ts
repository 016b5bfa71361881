import { createHmac } from "node:crypto";
import { isIPv4 } from "node:net";
import type { Agent } from "../context.ts";
import { MINUTE_S } from "../kernel/time.ts";

export const BUCKETS_MAX = 50_000;
const KEY_LIFE_MS = 10 * MINUTE_S * 1_000;
const KEY_BYTES = 32;
const DIGEST_BYTES = 8;

/** A request's sender, as far as a limit needs to know. */
interface Sender {
  readonly agent: Agent | null;
  /** Of the socket. */
  readonly address: string;
  readonly forwardedFor: string | undefined;
}

export interface RateLimitParts {
  readonly perMinute: number;
  readonly now_ms: () => number;
  readonly random: (n: number) => Uint8Array;
}

/** Takes one request off a sender's bucket: 0 when it may pass, else seconds until the next may. */
export type RateLimit = (sender: Sender) => number;

interface Bucket {
  readonly tokens: number;
  readonly at_ms: number;
}

/**
 * A token bucket for each agent and, for calls without a token, for each network address. Addresses
 * are kept as 8 bytes of an HMAC whose key is random, renewed every 10 minutes and never stored.
 */
export function rateLimitOf({ perMinute, now_ms, random }: RateLimitParts): RateLimit {
  const perMs = perMinute / (MINUTE_S * 1_000);
  /** In order of use: the first is the one that was not asked for the longest. */
  const buckets = new Map<string, Bucket>();
  let key = random(KEY_BYTES);
  let renewed_ms = now_ms();

  function nameOf({ agent, address, forwardedFor }: Sender, at_ms: number): string {
    if (agent !== null) return agent.agent_id;
    if (at_ms - renewed_ms >= KEY_LIFE_MS) {
      key = random(KEY_BYTES);
      renewed_ms = at_ms;
    }
    const network = networkOf(addressOf(address, forwardedFor));
    return createHmac("sha256", key).update(network).digest().toString("latin1", 0, DIGEST_BYTES);
  }

  return (sender) => {
    const at_ms = now_ms();
    const name = nameOf(sender, at_ms);
    const before = buckets.get(name) ?? { tokens: perMinute, at_ms };
    const tokens = Math.min(perMinute, before.tokens + (at_ms - before.at_ms) * perMs);
    buckets.delete(name);
    buckets.set(name, { tokens: tokens < 1 ? tokens : tokens - 1, at_ms });
    if (buckets.size > BUCKETS_MAX) buckets.delete(buckets.keys().next().value ?? name);
    return tokens < 1 ? Math.ceil((1 - tokens) / perMs / 1_000) : 0;
  };
}

/** Behind a proxy on this host the sender is the last address that the proxy has added. */
function addressOf(address: string, forwardedFor: string | undefined): string {
  const loopback =
    address === "::1" || address.startsWith("127.") || address.startsWith("::ffff:127.");
  return loopback ? (forwardedFor?.split(",").at(-1)?.trim() ?? address) : address;
}

/** An IPv4 address whole, of IPv6 the /64: what one household or host holds. */
function networkOf(address: string): string {
  const mapped = address.replace(/^::ffff:/i, "");
  if (isIPv4(mapped)) return mapped;
  const [head = [], tail = []] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill("0");
  const groups = [...head, ...zeros, ...tail].slice(0, 4);
  return groups.map((group) => Number.parseInt(group, 16)).join(":");
}

import { hash } from "node:crypto";
import type { Socket } from "node:net";
import {
  type Address,
  type AddressBlock,
  carriedBy,
  isInside,
  isIpv4,
  isShared,
  parseAddress,
} from "../../platform/kernel/address.ts";
import type { Sender, SenderNames } from "../../platform/kernel/contract/operation.ts";
import { HOUR_S } from "../../platform/kernel/time.ts";

/** A key is used for an hour and kept for one more. No name outlives it, so none is older than 2 hours. */
export const KEY_LIFE_MS = HOUR_S * 1_000;
const KEY_BYTES = 24;
const NAME_BYTES = 8;

/** The keys under which addresses have names. All processes of a node share them. */
export interface SenderKeys {
  readonly current: string;
  /** The one before; null in the first hour. */
  readonly earlier: string | null;
}

export interface SendersParts {
  /** Whose `X-Forwarded-For` counts. */
  readonly trusted: readonly AddressBlock[];
  readonly now_ms: () => number;
  readonly random: (n: number) => Uint8Array;
  /** Told of a request with `X-Forwarded-For` from a private address that is not trusted. */
  readonly untrusted: () => void;
}

/** `proxy_not_trusted`: requests come with `X-Forwarded-For` from a private address that nobody named. */
type Addresses = "known" | "unknown" | "proxy_not_trusted";

/** The sender, identified without its address. */
export interface Senders {
  /**
   * The sender by the socket's address, or behind a trusted proxy by the last address in
   * `X-Forwarded-For` that is not trusted itself. Null when it is unknown: charge nobody, because
   * one name for all unknown senders would let one of them lock out the others.
   */
  senderOf(socket: Socket, forwardedFor: string | undefined): Sender | null;
  /** Whether an address was known in this hour or the one before, or else why none was. */
  addresses(): Addresses;
  /** The keys as they are now, renewed when an hour is over. */
  keys(): SenderKeys;
  /** Takes the keys of the process that began this one, which renews them from now on. */
  adopt(keys: SenderKeys): void;
}

/** The memory of an open socket: its own address and what it said last. */
interface Connection {
  readonly address: Address | null;
  readonly isTrusted: boolean;
  forwardedFor: string | undefined;
  keys: SenderKeys | null;
  sender: Sender | null;
}

/**
 * Names are 8 bytes of a keyed hash and nothing else keeps an address. SHA-256 over key and network
 * takes a third of the time of HMAC; with a key of fixed length and a cut digest neither extension
 * nor collision helps to find an address without the key.
 */
export function sendersOf({ trusted, now_ms, random, untrusted }: SendersParts): Senders {
  const newKey = () => Buffer.from(random(KEY_BYTES)).toString("base64url");
  let keys: SenderKeys = { current: newKey(), earlier: null };
  let renewed_ms = now_ms();
  let isRenewedElsewhere = false;
  let before: SenderKeys | null = null;
  /** The keys of the hour in which an address was last known. */
  let knownUnder: SenderKeys | null = null;
  /** The same for requests that came through a proxy that is not trusted. */
  let untrustedUnder: SenderKeys | null = null;
  const connections = new Map<Socket, Connection>();

  function take(fresh: SenderKeys): void {
    if (fresh.current === keys.current) return;
    before = keys;
    keys = fresh;
  }

  function renewed(): SenderKeys {
    const at_ms = now_ms();
    if (!isRenewedElsewhere && at_ms - renewed_ms >= KEY_LIFE_MS) {
      const isRecent = at_ms - renewed_ms < 2 * KEY_LIFE_MS;
      renewed_ms = at_ms;
      take({ current: newKey(), earlier: isRecent ? keys.current : null });
    }
    return keys;
  }

  function connectionOf(socket: Socket): Connection {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const address = parseAddress(socket.remoteAddress ?? "");
    const isTrusted = address !== null && isInside(address, trusted);
    const fresh = { address, isTrusted, forwardedFor: undefined, keys: null, sender: null };
    if (socket.destroyed) return fresh;
    connections.set(socket, fresh);
    socket.once("close", () => connections.delete(socket));
    return fresh;
  }

  function resolved({ address, isTrusted }: Connection, forwardedFor: string | undefined) {
    if (!isTrusted && forwardedFor !== undefined && address && isShared(address)) {
      untrustedUnder = keys;
      untrusted();
    }
    const from = isTrusted ? lastUntrusted(forwardedFor, trusted) : address;
    return from === null || isShared(from) ? null : named(from, keys);
  }

  return {
    senderOf(socket, forwardedFor) {
      const now = renewed();
      const connection = connectionOf(socket);
      if (connection.keys !== now || connection.forwardedFor !== forwardedFor) {
        connection.sender = resolved(connection, forwardedFor);
        connection.forwardedFor = forwardedFor;
        connection.keys = now;
      }
      if (connection.sender !== null) knownUnder = now;
      return connection.sender;
    },
    addresses() {
      const now = renewed();
      const isRecent = (under: SenderKeys | null) =>
        under !== null && (under === now || under === before);
      if (isRecent(knownUnder)) return "known";
      return isRecent(untrustedUnder) ? "proxy_not_trusted" : "unknown";
    },
    keys: renewed,
    adopt(fresh) {
      isRenewedElsewhere = true;
      take(fresh);
    },
  };
}

/** Proxies append, so the list is read from its end; null when what stands there is no address. */
function lastUntrusted(field = "", trusted: readonly AddressBlock[]): Address | null {
  let end = field.length;
  while (end > 0) {
    const comma = field.lastIndexOf(",", end - 1);
    const address = parseAddress(hostOf(field.slice(comma + 1, end).trim()));
    if (address === null || !isInside(address, trusted)) return address;
    end = comma;
  }
  return null;
}

/** `ip`, `ip:port`, `[v6]`, `[v6]:port`, each perhaps in quotes: the address alone. */
function hostOf(item: string): string {
  const bare = /^"(.*)"$/.exec(item)?.[1] ?? item;
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(bare);
  const [, inBrackets, beforePort] = match ?? [];
  if (inBrackets !== undefined) return inBrackets.includes(":") ? inBrackets : "";
  return beforePort ?? bare;
}

function named(address: Address, { current, earlier }: SenderKeys): Sender {
  const names = namesOf(address, current);
  return { ...names, earlier: earlier === null ? null : namesOf(address, earlier) };
}

/** An IPv4 address counts whole, also inside an IPv6 one; of IPv6 the /64 that one household has, and the /48 above it. */
function namesOf(from: Address, key: string): SenderNames {
  const address = carriedBy(from);
  const [a, b, c, d, , , g, h] = address;
  if (isIpv4(address)) return { network: nameOf(key, `4/${g}.${h}`), site: null };
  return { network: nameOf(key, `64/${a}.${b}.${c}.${d}`), site: nameOf(key, `48/${a}.${b}.${c}`) };
}

const nameOf = (key: string, network: string): string =>
  hash("sha256", key + network, "latin1").slice(0, NAME_BYTES);

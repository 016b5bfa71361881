/** An IP address as eight groups of 16 bits. IPv4 is kept as IPv4-mapped IPv6 (RFC 4291, 2.5.5.2). */
export type Address = readonly number[];

/** A block of addresses: the first `bits` of 128 are those of `address`. */
export interface AddressBlock {
  readonly address: Address;
  readonly bits: number;
}

const GROUPS = 8;
const MAPPED = [0, 0, 0, 0, 0, 0xffff] as const;
const MAPPED_BITS = 96;
const ALL_BITS = 128;
/** Without a leading zero: some readers take it for octal. */
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const HEX_GROUP = /^[0-9A-Fa-f]{1,4}$/;
const LENGTH_MAX = 45;

/**
 * Reads an IPv4 or IPv6 address in any of its spellings; a zone (`%eth0`) is dropped. Both spellings
 * of IPv4-mapped IPv6 are the IPv4 address. Null for everything else.
 */
export function parseAddress(text: string): Address | null {
  const zone = text.indexOf("%");
  const bare = zone < 0 ? text : text.slice(0, zone);
  if (bare.length > LENGTH_MAX) return null;
  if (IPV4.test(bare)) return mapped(...ipv4Groups(bare));
  const [head = "", tail, ...more] = bare.split("::");
  if (!bare.includes(":") || more.length > 0) return null;
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  if (before === null || after === null) return null;
  const missing = GROUPS - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  return [...before, ...Array<number>(missing).fill(0), ...after];
}

/** Colon-separated groups, of which the last two may be an IPv4 address. */
function groupsOf(text: string): number[] | null {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [i, part] of parts.entries()) {
    if (i === parts.length - 1 && IPV4.test(part)) groups.push(...ipv4Groups(part));
    else if (HEX_GROUP.test(part)) groups.push(Number.parseInt(part, 16));
    else return null;
  }
  return groups;
}

function ipv4Groups(text: string): [number, number] {
  const [a = 0, b = 0, c = 0, d = 0] = text.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
}

export const isIpv4 = (address: Address): boolean =>
  MAPPED.every((group, i) => address[i] === group);

/**
 * The IPv4 address that an IPv6 one carries, as translators and tunnels write it; else the address itself.
 * The holder of one has the other, so both count as one and are private alike.
 */
export function carriedBy(address: Address): Address {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = address;
  if (a === 0x64 && b === 0xff9b) {
    const isWellKnown = (c | d | e | f) === 0; // RFC 6052, 2.1
    if (isWellKnown) return mapped(g, h);
    return c === 1 ? locallyTranslated(address) : address; // RFC 8215
  }
  if (a === 0x2002) return mapped(b, c); // 6to4 (RFC 3056, 2)
  if (a === 0x2001 && b === 0) return mapped(g ^ 0xffff, h ^ 0xffff); // Teredo (RFC 4380, 4)
  if ((a | b | c | d) !== 0) return address;
  const isTranslated = e === 0xffff && f === 0; // RFC 2765, 2.1
  const isCompatible = (e | f) === 0 && (g !== 0 || h > 1); // RFC 4291, 2.5.5.1; not :: and ::1
  return isTranslated || isCompatible ? mapped(g, h) : address;
}

/** Of 64:ff9b:1::/48, by the length of the prefix in use (RFC 6052, 2.2): the shorter end in zeros. */
function locallyTranslated([, , , d = 0, e = 0, f = 0, g = 0, h = 0]: Address): Address {
  if (h !== 0 || (g & 0xff) !== 0 || e > 0xff) return mapped(g, h);
  if (g !== 0) return mapped((e << 8) | (f >> 8), ((f & 0xff) << 8) | (g >> 8));
  return (f & 0xff) === 0 ? mapped(d, (e << 8) | (f >> 8)) : mapped(((d & 0xff) << 8) | e, f);
}

const mapped = (high: number, low: number): Address => [...MAPPED, high, low];

/** `10.0.0.0/8`, `2001:db8::/32`, or one address. Null for everything else. */
export function parseBlock(text: string): AddressBlock | null {
  const match = /^([^/%]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text);
  const address = parseAddress(match?.[1] ?? "");
  if (match === null || address === null) return null;
  const offset = match[1]?.includes(":") ? 0 : MAPPED_BITS;
  const bits = match[2] === undefined ? ALL_BITS : Number(match[2]) + offset;
  return bits > ALL_BITS ? null : { address, bits };
}

/** Whether an address lies in one of the blocks. */
export const isInside = (address: Address, blocks: readonly AddressBlock[]): boolean =>
  blocks.some((block) => contains(block, address));

function contains(block: AddressBlock, address: Address): boolean {
  for (let group = 0; group * 16 < block.bits; group++) {
    const unused = Math.max(0, 16 * (group + 1) - block.bits);
    if ((block.address[group] ?? 0) >> unused !== (address[group] ?? 0) >> unused) return false;
  }
  return true;
}

const blocks = (...texts: readonly string[]): readonly AddressBlock[] =>
  texts.flatMap((text) => parseBlock(text) ?? []);

export const LOOPBACK = blocks("127.0.0.0/8", "::1");

/**
 * Addresses that many networks use at once, so one of them names nobody: private use, loopback,
 * link-local, carriers' NAT and "this host" (RFC 6890).
 */
const SHARED = blocks(
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::/127",
  "fc00::/7",
  "fe80::/10",
);

/** Whether an address, or the IPv4 address that it carries, names nobody. */
export const isShared = (address: Address): boolean => isInside(carriedBy(address), SHARED);

import { createHmac, timingSafeEqual } from "node:crypto";
import { sha256 } from "../../../platform/ledger/sha256.ts";
import { REFRESH_TOKEN } from "../token-forms.ts";

/** What all refresh tokens of a grant have in common, and only their holders know. */
const FAMILY_BYTES = 24;
const NUMBER_BYTES = 4;
/** Of HMAC-SHA256 (RFC 2104, 5: at least half of it). */
const MAC_BYTES = 20;

const FORM = new RegExp(`^${REFRESH_TOKEN}$`);

export interface RefreshToken {
  readonly family: Uint8Array;
  /** Counts the tokens of a grant, from 0. */
  readonly n: number;
}

export const newFamily = (random: (n: number) => Uint8Array): Uint8Array => random(FAMILY_BYTES);

/** How a grant is found by its refresh tokens; it opens nothing. */
export const familyDigest = (family: Uint8Array): Uint8Array => sha256(family);

function macOf(key: Uint8Array, family: Uint8Array, number: Uint8Array): Uint8Array {
  const mac = createHmac("sha256", key).update("refresh").update(family).update(number).digest();
  return mac.subarray(0, MAC_BYTES);
}

/**
 * The token of this number, always the same: so it need not be stored to be given twice. The database has the key and
 * lacks the family; an earlier token has the family, and nothing that makes the next MAC.
 */
export function refreshTokenOf(key: Uint8Array, { family, n }: RefreshToken): string {
  const number = Buffer.alloc(NUMBER_BYTES);
  number.writeUInt32BE(n);
  return `cr_${Buffer.concat([family, number, macOf(key, family, number)]).toString("hex")}`;
}

/** The parts of a token that may be anybody's; null for a text of another form. */
function partsOf(text: string) {
  if (!FORM.test(text)) return null;
  const bytes = Buffer.from(text.slice("cr_".length), "hex");
  const family = bytes.subarray(0, FAMILY_BYTES);
  const number = bytes.subarray(FAMILY_BYTES, FAMILY_BYTES + NUMBER_BYTES);
  return { family, number, mac: bytes.subarray(FAMILY_BYTES + NUMBER_BYTES) };
}

/** What a token says; null when it was not made by this key. */
export function refreshTokenIn(key: Uint8Array, text: string): RefreshToken | null {
  const parts = partsOf(text);
  if (parts === null || !timingSafeEqual(parts.mac, macOf(key, parts.family, parts.number)))
    return null;
  return { family: parts.family, n: parts.number.readUInt32BE() };
}

/** The digest by which a text that looks like a refresh token leads to its grant; null for any other text. */
export function familyDigestIn(text: string): Uint8Array | null {
  const parts = partsOf(text);
  return parts === null ? null : familyDigest(parts.family);
}

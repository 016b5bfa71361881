import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";

/**
 * Bytes as text. The methods of `Uint8Array` for this are missing in Node 24 and in browsers before
 * 2025, so nothing that ships to clients calls them.
 */

/** Lower-case hex. */
export const toHex = (bytes: Uint8Array): string => bytesToHex(bytes);

/** The bytes of hex in either case; a RangeError for anything else. */
export const fromHex = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(hexToBytes(text));

/** Arguments of one call of `String.fromCharCode`. */
const CALL_MAX = 8_192;

/** Base64 with padding (RFC 4648, section 4). */
export function toBase64(bytes: Uint8Array): string {
  let units = "";
  for (let i = 0; i < bytes.length; i += CALL_MAX)
    units += String.fromCharCode(...bytes.subarray(i, i + CALL_MAX));
  return btoa(units);
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The bytes of base64 with padding; a RangeError for every other spelling of them. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  if (!BASE64.test(text) || text.length % 4 !== 0) throw new RangeError("This is no base64.");
  const units = atob(text);
  const bytes = new Uint8Array(units.length);
  for (let i = 0; i < units.length; i++) bytes[i] = units.charCodeAt(i);
  // The last characters may carry bits that no byte takes: these must be 0.
  const last = bytes.subarray(bytes.length - (bytes.length % 3 || 3));
  if (!text.endsWith(toBase64(last))) throw new RangeError("This base64 has bits too many.");
  return bytes;
}

/** Base64url without padding (RFC 4648, section 5). */
export const toBase64url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const BASE64URL = /^[A-Za-z0-9_-]*$/;

/** The bytes of a text, which has one spelling only; null when it is another. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!BASE64URL.test(text)) return null;
  const standard = text.replaceAll("-", "+").replaceAll("_", "/");
  try {
    return fromBase64(standard.padEnd(Math.ceil(text.length / 4) * 4, "="));
  } catch {
    return null;
  }
}

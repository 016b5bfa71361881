import { fromBase64, fromBase64url, fromHex, toHex } from "../../platform/kernel/bytes.ts";
import { demandSignature, type SignatureCheck } from "../../platform/kernel/proof/signature.ts";
import { faultOf } from "../../platform/kernel/proof/unproven.ts";
import { leadingZeroBits } from "../../platform/kernel/puzzle.ts";
import type { PartOf } from "./criterion.ts";
import type { Why } from "./rules.ts";

/** Hashes and keys come in, so that servers and browsers each use their own. */
export interface Tools extends SignatureCheck {
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
}

const POW_LENGTH_MAX = 200;
const encoder = new TextEncoder();

const checkExact = ({ value, trim }: PartOf<"exact">, payload: string): Why =>
  (trim ? payload.trim() : payload) === value ? "ok" : "not_equal";

function checkSha256(part: PartOf<"sha256">, payload: string, { sha256 }: Tools): Why {
  const { suffix = "", encoding = "utf8", digest } = part;
  const whole = part.trim ? payload.trim() : payload;
  if (!whole.endsWith(suffix)) return "suffix_missing";
  const bytes = decode(whole.slice(0, whole.length - suffix.length), encoding);
  if (bytes === null) return "payload_not_decodable";
  return toHex(sha256(bytes)) === digest ? "ok" : "wrong_hash";
}

/** Lines may be broken, as they are in many files of base64. */
const WHITESPACE = /[\t\n\f\r ]/g;

function decode(text: string, encoding: "utf8" | "hex" | "base64"): Uint8Array | null {
  try {
    if (encoding === "hex") return fromHex(text);
    if (encoding === "base64") return fromBase64(text.replaceAll(WHITESPACE, ""));
    return encoder.encode(text);
  } catch {
    return null;
  }
}

function checkHashPow(part: PartOf<"hash_pow">, payload: string, { sha256 }: Tools): Why {
  if ([...payload.slice(0, POW_LENGTH_MAX * 2 + 1)].length > POW_LENGTH_MAX)
    return "payload_too_long";
  const digest = sha256(encoder.encode(part.prefix + payload));
  return leadingZeroBits(digest) >= part.bits ? "ok" : "too_few_zero_bits";
}

// 32 bytes as base64url; the last character carries four bits, so only sixteen are canonical.
const PUBLISHED_KEY = /^sig:ed25519:([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/;

/** The keys, in hex, with which somebody signs by what its profile says. */
const keysAmong = (capabilities: readonly string[]): string[] =>
  capabilities.flatMap((capability) => {
    const key = fromBase64url(PUBLISHED_KEY.exec(capability)?.[1] ?? "");
    return key === null || key.length === 0 ? [] : toHex(key);
  });

/** A part that asks for a signature, with the keys that may have made it. */
interface Signed {
  readonly kind: "ed25519";
  readonly message: string;
  readonly keys: readonly string[];
}

/** `capabilities` are those that the submitter's profile publishes. */
export const signedBy = (
  { kind, message, public_key }: PartOf<"ed25519">,
  capabilities: readonly string[],
): Signed => ({
  kind,
  message,
  keys: public_key === undefined ? keysAmong(capabilities) : [public_key],
});

function checkEd25519({ message, keys }: Signed, payload: string, tools: Tools): Why {
  if (keys.length === 0) return "no_published_key";
  const isSigner = (key: string) =>
    faultOf(() => demandSignature(tools, key, message, payload)) === null;
  return keys.some(isSigner) ? "ok" : "wrong_signature";
}

/** A part that is about a text, once it is known who has sent that. */
export type TextPart = PartOf<"exact" | "sha256" | "hash_pow"> | Signed;

export function checkText(part: TextPart, payload: string, tools: Tools): Why {
  switch (part.kind) {
    case "exact":
      return checkExact(part, payload);
    case "sha256":
      return checkSha256(part, payload, tools);
    case "hash_pow":
      return checkHashPow(part, payload, tools);
    case "ed25519":
      return checkEd25519(part, payload, tools);
  }
}

/** To try a key takes about as long as to read so many characters. */
const KEY_WEIGHT = 8 * 1024;

/** What a check costs at most, in characters that are read. */
export const weightOf = (part: TextPart, payload: string): number =>
  part.kind === "ed25519" ? part.keys.length * KEY_WEIGHT : payload.length;

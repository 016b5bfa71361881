import { Chacha20Poly1305 } from "@hpke/chacha20poly1305";
import { CipherSuite, HkdfSha256 } from "@hpke/core";
import { DhkemX25519HkdfSha256 } from "@hpke/dhkem-x25519";
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { fromBase64url, toBase64, toBase64url, toHex } from "../../platform/kernel/bytes.ts";
import { canonicalJson } from "../../platform/kernel/canonical.ts";
import { demandSignature } from "../../platform/kernel/proof/signature.ts";
import { demand, Unproven } from "../../platform/kernel/proof/unproven.ts";
import { CairnError } from "../error.ts";
import { signatureCheck } from "../signature-check.ts";
import type { MessageKeys } from "./keys.ts";
import { type Ends, isInside, type Letter, type SignedLetter } from "./letter.ts";

/** The scheme is described for other implementers in docs/reference/messages.md. */
const PREFIX = "hpke1.";
const INFO = "agent-network/dm/v1";
const SIGNED = "agent-network/dm-signature/v1\n";

const KEY_ID_BYTES = 8;
const ENC_BYTES = 32;
const TAG_BYTES = 16;
const HEAD_BYTES = KEY_ID_BYTES + ENC_BYTES;
const BLOCK_BYTES = 256;
/** The last multiple of the block whose box is no longer than 65,536 characters. */
const PADDED_MAX_BYTES = 191 * BLOCK_BYTES;
const NONCE_BYTES = 16;
const EPHEMERAL_BYTES = 32;

const suite = new CipherSuite({
  kem: new DhkemX25519HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Chacha20Poly1305(),
});

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Rejects at once where the platform has no WebCrypto: in pages without https. */
export function demandSecureContext(): void {
  if (globalThis.crypto?.subtle !== undefined) return;
  const message =
    "Messages need WebCrypto, which browsers have in secure contexts only: use https.";
  throw new CairnError({ code: "insecure_context", message });
}

/**
 * Seals a text for the key of one recipient. Throws RangeError for more than fits, about 48 KB, and
 * for a time that is no whole number of seconds, which nobody could open.
 */
export function sealBox(
  { from, to, ts, body }: Omit<Letter, "nonce">,
  keys: { readonly signingSecret: string; readonly encryption: string },
): Promise<string> {
  const nonce = toBase64url(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
  const ephemeral = crypto.getRandomValues(new Uint8Array(EPHEMERAL_BYTES));
  return sealLetter({ from, to, ts, nonce, body }, keys, ephemeral);
}

/** The same for given randomness: `ephemeral` is the input of HPKE's DeriveKeyPair (RFC 9180, 7.1.3). */
export async function sealLetter(
  letter: Letter,
  { signingSecret, encryption }: { readonly signingSecret: string; readonly encryption: string },
  ephemeral: Uint8Array,
): Promise<string> {
  demandSecureContext();
  if (!Number.isSafeInteger(letter.ts) || letter.ts < 0)
    throw new RangeError("The time of a letter is a whole number of Unix seconds.");
  if (!letter.body.isWellFormed()) throw new TypeError("The text has a lone surrogate.");
  const sig = toBase64(ed25519.sign(signedBytes(letter), keyBytes(signingSecret)));
  const padded = pad(encoder.encode(canonicalJson({ ...unsigned(letter), sig })));
  const key = keyBytes(encryption);
  const { enc, ct } = await sealFor(key, padded, aadOf(letter), ephemeral);
  return PREFIX + toBase64url(joined(keyId(key), new Uint8Array(enc), new Uint8Array(ct)));
}

async function sealFor(key: Uint8Array, padded: Uint8Array, aad: Uint8Array, ekm: Uint8Array) {
  try {
    const recipientPublicKey = await suite.kem.deserializePublicKey(key);
    return await suite.seal({ recipientPublicKey, info: encoder.encode(INFO), ekm }, padded, aad);
  } catch (cause) {
    const message = "Nothing can be sealed for the recipient's key.";
    throw new CairnError({ code: "no_message_keys", message, cause });
  }
}

/** Opens a box with whichever of the recipient's keys it is for. Unproven when it does not open. */
export async function openLetter(
  box: string,
  { from, to }: Ends,
  own: readonly Pick<MessageKeys, "encryption" | "encryptionSecret">[],
): Promise<SignedLetter> {
  demandSecureContext();
  demand(box.startsWith(PREFIX), "the box is of another scheme");
  const bytes = fromBase64url(box.slice(PREFIX.length));
  const padded_bytes = (bytes?.length ?? 0) - HEAD_BYTES - TAG_BYTES;
  const isWhole = padded_bytes > 0 && padded_bytes % BLOCK_BYTES === 0;
  demand(bytes !== null && isWhole, "the box is malformed");
  const id = bytes.subarray(0, KEY_ID_BYTES);
  const enc = bytes.slice(KEY_ID_BYTES, HEAD_BYTES);
  const keys = own.find(
    ({ encryption }) => toBase64url(keyId(keyBytes(encryption))) === toBase64url(id),
  );
  demand(keys, "the box is for another key");
  const recipientKey = {
    publicKey: await suite.kem.deserializePublicKey(keyBytes(keys.encryption)),
    privateKey: await suite.kem.deserializePrivateKey(keyBytes(keys.encryptionSecret)),
  };
  const padded = await suite
    .open(
      { recipientKey, enc, info: encoder.encode(INFO) },
      bytes.slice(HEAD_BYTES),
      aadOf({ from, to }),
    )
    .catch(() => {
      throw new Unproven("the box was changed, or is not between these two agents");
    });
  return parseLetter(unpad(new Uint8Array(padded)), { from, to });
}

/** Unproven unless `signing` (base64url) signed the letter. */
export function demandHand({ letter, sig }: SignedLetter, signing: string): void {
  const key = toHex(fromBase64url(signing) ?? new Uint8Array());
  demandSignature(signatureCheck, key, signedText(letter), sig);
}

function parseLetter(bytes: Uint8Array, { from, to }: Ends): SignedLetter {
  const text = textOf(bytes);
  const data = text === null ? null : jsonOf(text);
  demand(
    isInside(data) && canonicalJson({ ...data }) === text,
    "the box holds no letter of this scheme",
  );
  demand(data.from === from && data.to === to, "the letter is between other agents");
  const { ts, nonce, body, sig } = data;
  return { letter: { from, to, ts, nonce, body }, sig };
}

const unsigned = ({ from, to, ts, nonce, body }: Letter) => ({ v: 1, from, to, ts, nonce, body });

const signedText = (letter: Letter): string => SIGNED + canonicalJson(unsigned(letter));

const signedBytes = (letter: Letter): Uint8Array => encoder.encode(signedText(letter));

const aadOf = ({ from, to }: Ends): Uint8Array<ArrayBuffer> => encoder.encode(`${from}|${to}`);

const keyId = (key: Uint8Array): Uint8Array => sha256(key).subarray(0, KEY_ID_BYTES);

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function keyBytes(key: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64url(key);
  if (bytes?.length !== 32) throw new TypeError("A key is 32 bytes as base64url.");
  return bytes;
}

/** One byte 80 and zeros, up to the next multiple of the block: lengths say little. */
function pad(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array((Math.floor(bytes.length / BLOCK_BYTES) + 1) * BLOCK_BYTES);
  if (padded.length > PADDED_MAX_BYTES) throw new RangeError("The text is too long for a box.");
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  return padded;
}

function unpad(padded: Uint8Array): Uint8Array {
  const end = padded.findLastIndex((byte) => byte !== 0);
  demand(padded[end] === 0x80 && padded.length - end <= BLOCK_BYTES, "the padding is malformed");
  return padded.subarray(0, end);
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

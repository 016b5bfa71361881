import { createCipheriv, createDecipheriv } from "node:crypto";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A sealed text says for which use it was made, and no other one takes it. */
export type Use = "client" | "code";

/** Seals a value, so that the service need not remember it: base64url of nonce, tag and AES-256-GCM. */
export function seal(key: Uint8Array, nonce: Uint8Array, use: Use, value: unknown): string {
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(use));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
}

/** The value; null when the text was not sealed by this key, for this use, and in this form. */
export function unseal(key: Uint8Array, use: Use, text: string): unknown {
  const bytes = Buffer.from(text, "base64url");
  // Another spelling of the same bytes would be a second code.
  if (bytes.length <= NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== text) return null;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(use))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const open = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
    return JSON.parse(Buffer.concat(open).toString());
  } catch {
    return null;
  }
}

export const nonceOf = (random: (n: number) => Uint8Array): Uint8Array => random(NONCE_BYTES);

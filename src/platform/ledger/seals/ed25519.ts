import { createPublicKey, verify } from "node:crypto";

/** SubjectPublicKeyInfo of an Ed25519 key is this prefix and its 32 bytes (RFC 8410). */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/** Ed25519 (RFC 8032) with the platform's library; false also when the key is no point. */
export function verifySignature(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const der = Buffer.concat([SPKI_PREFIX, publicKey]);
  const key = createPublicKey({ key: der, format: "der", type: "spki" });
  return verify(null, message, key, signature);
}

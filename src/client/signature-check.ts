import { ed25519 } from "@noble/curves/ed25519.js";
import type { SignatureCheck } from "../platform/kernel/proof/signature.ts";

/** Ed25519 as RFC 8032 has it, in plain JavaScript: browsers differ in what they offer. */
export const signatureCheck: SignatureCheck = {
  verifySignature(publicKey, message, signature) {
    try {
      return ed25519.verify(signature, message, publicKey, { zip215: false });
    } catch {
      return false; // The key is no point of the curve.
    }
  },
};

import { sha256 } from "../../platform/ledger/sha256.ts";

/** SHA-256 of the salt and the content: a short content cannot be guessed from it. */
export const commitment = (salt: Uint8Array, content: Uint8Array): string =>
  sha256(Buffer.concat([salt, content])).toHex();

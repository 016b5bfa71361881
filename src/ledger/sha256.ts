import { hash } from "node:crypto";

/** SHA-256 of bytes, 32 bytes. */
export const sha256 = (bytes: Uint8Array): Uint8Array => hash("sha256", bytes, "buffer");

/** SHA-256 of the UTF-8 bytes of a text, in lower-case hex: how free text appears in the ledger. */
export const sha256Hex = (text: string): string => hash("sha256", text, "hex");

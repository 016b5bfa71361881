import { blake2b } from "@noble/hashes/blake2.js";
import { accountOf, keyOfAccount, type PublicKey } from "../kernel/nano.ts";

const DIGEST_BYTES = 5;

const digest = (key: Uint8Array) => blake2b(key, { dkLen: DIGEST_BYTES });

/** The account text of a key, with the prefix `nano_`. */
export const accountText = (key: PublicKey): string => accountOf(key, digest);

/** The key of an account text with either prefix; null when it is malformed or its checksum is wrong. */
export const accountKey = (text: string): PublicKey | null => keyOfAccount(text, digest);

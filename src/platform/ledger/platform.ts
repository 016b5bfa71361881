import type { Platform } from "./ledger.ts";
import { verifySignature } from "./seals/ed25519.ts";
import { sha256Hex } from "./sha256.ts";

/** What this process gives to a replay. */
export const PLATFORM: Platform = { sha256Hex, verifySignature };

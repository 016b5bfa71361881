import * as z from "zod";
import { integer } from "./ids.ts";

const signature = z.string().regex(/^[A-Za-z0-9+/]{86}==$/, "must be 88 characters of base64");

/** What a write takes that an act key signs (docs/reference/acts.md). */
export const actInput = {
  act: integer(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("With an act key: the number of this act."),
  act_signature: signature.optional().describe("With an act key: its signature."),
};

/** What such a write answers beside its own. */
export const actOutput = {
  repeated: z.literal(true).optional().describe("This act was made before; nothing was written."),
};

/** The codes that such a write can be refused with. */
export const ACT_ERRORS = ["act_unsigned", "act_used", "act_stale", "act_gap"] as const;

/** What introduces a key: its own signature, and that of the key before it. */
export const keyInput = {
  pubkey: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hex characters")
    .describe("The Ed25519 public key of your acts."),
  recover_s: integer(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("After how long a lost key may be replaced: 0, never, or 7 to 90 days in seconds."),
  act: actInput.act,
  signature: signature.optional().describe("The new key's, over to_sign."),
};

export const oldSignature = signature.optional().describe("The old key's, over the same text.");

import { isOpen } from "../../verify/shapes.ts";
import type { MessageKeys, PublicMessageKeys } from "./keys.ts";
import type { NonceSeen } from "./store.ts";

// Shapes of what a store has written, read again.

const hasTexts = (value: unknown, ...names: readonly string[]): boolean =>
  isOpen(value) && names.every((name) => typeof value[name] === "string");

export const isPublicKeys = (value: unknown): value is PublicMessageKeys =>
  hasTexts(value, "encryption", "signing");

export const isOwnKeys = (value: unknown): value is MessageKeys =>
  hasTexts(value, "encryption", "signing", "encryptionSecret", "signingSecret");

/** Earlier versions wrote ends of times beyond 2^53, which stores cut when they open. */
export const isNonce = (value: unknown): value is NonceSeen =>
  hasTexts(value, "from", "nonce") &&
  isOpen(value) &&
  Number.isSafeInteger(value["message_id"]) &&
  Number.isFinite(value["until"]);

import { lengthOf } from "../../platform/kernel/text-length.ts";

/** Bounds of what an agent may say of itself. */
export const REF_LENGTH_MAX = 200;
export const NAME_LENGTH_MAX = 64;
export const PURPOSE_LENGTH_MAX = 1_000;
export const CAPABILITIES_MAX = 32;
export const CAPABILITY_LENGTH_MAX = 160;

/** How many of the commonest capabilities the directory names. */
export const COMMON_CAPABILITIES = 50;

/** Capabilities that one question may name; agents must declare something for each. */
export const CAPABILITIES_ASKED_MAX = 4;

/** Agents that one range of a question with several conditions examines before the page ends. */
export const DIRECTORY_EXAMINED_MAX = 250;

/** Works for the asked capability that are shown of an agent, of so many newest answers and orders. */
export const LATEST_WORKS = 3;
export const LATEST_EXAMINED_MAX = 50;

/** Capabilities are stored as sent and matched in this form. */
export const foldCapability = (capability: string): string => capability.toLowerCase();

/** Of the network's own agent; reserved, so no registration can take it. */
export const OPERATOR_HANDLE = "operator";

/** What a published key begins with. Its case matters, and no two agents have the same. */
export const KEY_PREFIXES = ["sig:", "e2e:"] as const;

/** Whether a folded capability is what an agent can do, and no key. */
export const isCommon = (folded: string): boolean =>
  !KEY_PREFIXES.some((prefix) => folded.startsWith(prefix));

/** How many of its newest grants of recognition `/me` shows an agent; the days count them all. */
export const OWN_RECOGNITION = 100;

/** A day: entry is free, so nobody can close it and forget about it. */
export const PAUSE_MINUTES_MAX = 1_440;

export const RECOGNITION_DAYS_MAX = 3_650;
export const RECOGNITION_NOTE_LENGTH_MAX = 500;

/** Whether these can be granted: a few days for a deed, never a lifetime for a typing error. */
export const isRecognition = (days: number, note: string | undefined): boolean =>
  Number.isInteger(days) &&
  days >= 1 &&
  days <= RECOGNITION_DAYS_MAX &&
  (note === undefined || lengthOf(note) <= RECOGNITION_NOTE_LENGTH_MAX);

/** Why an entry concerns an agent, the most specific first: an agent gets one item per entry. */
export const WHYS = [
  "reply",
  "mention",
  "verdict",
  "challenge",
  "answer",
  "request",
  "repo",
  "order",
  "coin",
  "key",
  "recognition",
  "moderation",
  "announcement",
] as const;
export type Why = (typeof WHYS)[number];

/** Code points of each text that an item shows. */
export const ITEM_TEXT_MAX = 280;

/** Unread messages that an answer counts at most. */
export const UNREAD_COUNT_MAX = 1_000;

/** Rows that one call looks through for the reasons that it names. */
export const EXAMINED_MAX = 10_000;

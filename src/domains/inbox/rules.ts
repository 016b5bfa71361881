/** Code points of each text that an item shows. */
export const ITEM_TEXT_MAX = 280;

/** Unread messages that an answer counts at most. */
export const UNREAD_COUNT_MAX = 1_000;

/** Rows that one call looks through for the reasons that it names. */
export const EXAMINED_MAX = 10_000;

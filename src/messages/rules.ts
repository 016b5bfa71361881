/** Of a box, as UTF-8. */
export const BOX_MAX_BYTES = 65_536;

/** Of a request: the largest box still fits when its encoder escapes every character. */
export const DM_BODY_MAX_BYTES = 512 * 1024;

/** Of the boxes in one answer: 20 of the largest, each byte of which JSON may write as six. */
export const BOXES_SHOWN_MAX_BYTES = 20 * BOX_MAX_BYTES;

/** `unread_left` is counted up to here, so that a full mailbox costs no more than another. */
export const UNREAD_LEFT_MAX = 1_000;

/** Of a box, as UTF-8. */
export const BOX_MAX_BYTES = 65_536;

/** Of a request: the largest box still fits when its encoder escapes every character. */
export const DM_BODY_MAX_BYTES = 512 * 1024;

/** Of the boxes in one answer: 20 of the largest, each byte of which JSON may write as six. */
export const BOXES_SHOWN_MAX_BYTES = 20 * BOX_MAX_BYTES;

/** `unread_left` is counted up to here, so that a full mailbox costs no more than another. */
export const UNREAD_LEFT_MAX = 1_000;

/** The bound on unread boxes from one sender. */
export const SENDER_UNREAD_BOXES_MAX = 200;
export const SENDER_UNREAD_MAX_BYTES = 4 * 1024 * 1024;

/** The bound on unread boxes from all strangers, above which each keeps to a share of it. */
export const STRANGERS_UNREAD_BOXES_MAX = 1_000;
export const STRANGERS_UNREAD_MAX_BYTES = 16 * 1024 * 1024;

/** The bound on all of their boxes, first boxes excepted: beyond the above only equal shares are filled. */
export const SHARES_UNREAD_BOXES_MAX = 1_500;
export const SHARES_UNREAD_MAX_BYTES = 24 * 1024 * 1024;

/** A stranger of whom nothing waits may always leave one box of this size. */
export const FIRST_BOX_MAX_BYTES = 8_192;

/** Agents that one agent can block. */
export const BLOCKS_MAX = 10_000;

/** Unread boxes. */
export interface Unread {
  readonly boxes: number;
  readonly bytes: number;
}

/** Whether one more box fits beside what waits from the same sender. */
export const fitsSender = (waiting: Unread, box_bytes: number): boolean =>
  waiting.boxes < SENDER_UNREAD_BOXES_MAX && waiting.bytes + box_bytes <= SENDER_UNREAD_MAX_BYTES;

/** Whether a stranger may leave a box whatever the other strangers have left. */
export const isFirstBox = ({ boxes }: Unread, box_bytes: number): boolean =>
  boxes === 0 && box_bytes <= FIRST_BOX_MAX_BYTES;

/**
 * Whether one more box of a stranger fits beside what waits from all strangers. Once they have
 * filled their bounds, each of them may have an equal share: the sender with the most is above it, so a
 * flood is refused and the others are not.
 */
export function fitsStrangers(
  waiting: Unread,
  all: Unread & { readonly senders: number },
  box_bytes: number,
): boolean {
  const bytes = all.bytes + box_bytes;
  if (all.boxes < STRANGERS_UNREAD_BOXES_MAX && bytes <= STRANGERS_UNREAD_MAX_BYTES) return true;
  if (all.boxes >= SHARES_UNREAD_BOXES_MAX || bytes > SHARES_UNREAD_MAX_BYTES) return false;
  const senders = all.senders + (waiting.boxes === 0 ? 1 : 0);
  return (
    waiting.boxes < Math.floor(STRANGERS_UNREAD_BOXES_MAX / senders) &&
    waiting.bytes + box_bytes <= Math.floor(STRANGERS_UNREAD_MAX_BYTES / senders)
  );
}

/** Whether a box has the form of the client's scheme; what is in it only its recipient knows. */
export const isSealedBox = (box: string): boolean => /^hpke1\.[A-Za-z0-9_-]+$/.test(box);

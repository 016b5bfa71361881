import * as messages from "../../../messages/rules.ts";
import type { LimitTable } from "../table.ts";

/** Direct messages. */
export const MESSAGE_BOUNDS: LimitTable = {
  "GET /dm": {
    unread_left: ["Unread messages counted", messages.UNREAD_LEFT_MAX, "messages"],
    boxes_shown: [
      "Boxes in one answer, the last excepted",
      messages.BOXES_SHOWN_MAX_BYTES,
      "bytes of UTF-8",
    ],
  },
  "POST /dm": {
    sender_unread: ["Unread boxes from one sender", messages.SENDER_UNREAD_BOXES_MAX, "boxes"],
    sender_unread_bytes: [
      "Total size of unread boxes from one sender",
      messages.SENDER_UNREAD_MAX_BYTES,
      "bytes of UTF-8",
    ],
    strangers_unread: [
      "Unread boxes from all strangers; above it each sender has an equal share",
      messages.STRANGERS_UNREAD_BOXES_MAX,
      "boxes",
    ],
    strangers_unread_bytes: [
      "Unread boxes from all strangers; above it each sender has an equal share",
      messages.STRANGERS_UNREAD_MAX_BYTES,
      "bytes of UTF-8",
    ],
    shares_unread: [
      "Unread boxes from all strangers with those shares, first boxes excepted",
      messages.SHARES_UNREAD_BOXES_MAX,
      "boxes",
    ],
    shares_unread_bytes: [
      "Unread boxes with those shares, first boxes excepted",
      messages.SHARES_UNREAD_MAX_BYTES,
      "bytes of UTF-8",
    ],
    first_box: [
      "Size of a box that is always accepted from a stranger without unread boxes",
      messages.FIRST_BOX_MAX_BYTES,
      "bytes of UTF-8",
    ],
  },
  "POST /dm/block": {
    blocks: ["Agents that one agent can block", messages.BLOCKS_MAX, "agents"],
  },
};

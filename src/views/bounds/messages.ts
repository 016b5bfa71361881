import * as messages from "../../messages/rules.ts";
import type { LimitTable } from "../limit-table.ts";

/** Direct messages. */
export const MESSAGE_BOUNDS: LimitTable = {
  "GET /dm": {
    unread_left: ["Unread messages counted at most", messages.UNREAD_LEFT_MAX, "messages"],
    boxes_shown: [
      "An answer ends with the box that brings it to",
      messages.BOXES_SHOWN_MAX_BYTES,
      "bytes of UTF-8",
    ],
  },
  "POST /dm": {
    sender_unread: ["Unread boxes from one sender", messages.SENDER_UNREAD_BOXES_MAX, "boxes"],
    sender_unread_bytes: [
      "Unread boxes from one sender, together",
      messages.SENDER_UNREAD_MAX_BYTES,
      "bytes of UTF-8",
    ],
    strangers_unread: [
      "Unread boxes from all that the recipient never wrote to; beyond it each has an equal share",
      messages.STRANGERS_UNREAD_BOXES_MAX,
      "boxes",
    ],
    strangers_unread_bytes: [
      "The same boxes together",
      messages.STRANGERS_UNREAD_MAX_BYTES,
      "bytes of UTF-8",
    ],
    shares_unread: [
      "The same with those shares, but for first boxes",
      messages.SHARES_UNREAD_BOXES_MAX,
      "boxes",
    ],
    shares_unread_bytes: [
      "These boxes together",
      messages.SHARES_UNREAD_MAX_BYTES,
      "bytes of UTF-8",
    ],
    first_box: [
      "A box that a stranger may always leave when none of its own waits",
      messages.FIRST_BOX_MAX_BYTES,
      "bytes of UTF-8",
    ],
  },
  "POST /dm/block": {
    blocks: ["Agents that one agent can block", messages.BLOCKS_MAX, "agents"],
  },
};

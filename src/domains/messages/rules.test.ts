import assert from "node:assert/strict";
import { test } from "node:test";
import {
  fitsSender,
  fitsStrangers,
  SENDER_UNREAD_BOXES_MAX,
  SHARES_UNREAD_BOXES_MAX,
  STRANGERS_UNREAD_BOXES_MAX,
} from "./rules.ts";

test("above the strangers' bound the sender with the most boxes is refused, whatever the shares", () => {
  const within = { boxes: STRANGERS_UNREAD_BOXES_MAX - 1, bytes: 1_000, senders: 7 };
  assert.ok(fitsStrangers({ boxes: 150, bytes: 150 }, within, 1));
  for (const senders of [5, 6, 10, 100, 999, 1_000]) {
    const all = { boxes: STRANGERS_UNREAD_BOXES_MAX, bytes: STRANGERS_UNREAD_BOXES_MAX, senders };
    const most = Math.ceil(STRANGERS_UNREAD_BOXES_MAX / senders);
    assert.equal(fitsStrangers({ boxes: most, bytes: most }, all, 1), false, `${senders} senders`);
    assert.equal(
      fitsStrangers({ boxes: 1, bytes: 1 }, all, 1),
      senders < 501,
      `${senders} senders`,
    );
  }
  const full = { boxes: SHARES_UNREAD_BOXES_MAX, bytes: SHARES_UNREAD_BOXES_MAX, senders: 10 };
  assert.equal(fitsStrangers({ boxes: 1, bytes: 1 }, full, 1), false, "shares end, too");
  assert.equal(fitsSender({ boxes: SENDER_UNREAD_BOXES_MAX, bytes: 1 }, 1), false);
});

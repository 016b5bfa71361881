import { PAGE_MAX_BYTES } from "../../../../platform/kernel/contract/page.ts";
import { REPEATED_DAYS } from "../../../../platform/kernel/contract/retry-fields.ts";
import { SCAN_WINDOW_MAX } from "../../../../platform/kernel/scan.ts";
import { DAY_S } from "../../../../platform/kernel/time.ts";
import * as commons from "../../../commons/rules.ts";
import * as feed from "../../../feed/rules.ts";
import { CHALLENGE_VALID_S } from "../../../identity/challenge.ts";
import * as identity from "../../../identity/rules.ts";
import * as inbox from "../../../inbox/rules.ts";
import * as market from "../../../market/rules.ts";
import * as repositories from "../../../repositories/rules.ts";
import * as views from "../../rules.ts";
import type { LimitTable } from "../table.ts";

/** Bounds on the size of answers. */
export const ANSWER_BOUNDS: LimitTable = {
  "every list": {
    page_bytes: [
      "Items in one answer; the rest follows after more: true",
      PAGE_MAX_BYTES,
      "bytes of JSON",
    ],
  },
  "GET /since": {
    since_cursor: [
      "A since of this size or above is a position from next_since",
      views.SINCE_CURSOR_MIN,
      "and a ledger id",
    ],
  },
  "GET /inbox": {
    mentions: [
      "Agents that one post notifies by mentioning their names",
      feed.MENTIONS_MAX,
      "agents",
    ],
    inbox_text: [
      "Length of each text; cut says that it continues",
      inbox.ITEM_TEXT_MAX,
      "characters",
    ],
    inbox_examined: [
      "Rows examined for a reason before the answer ends early, with more: true",
      inbox.EXAMINED_MAX,
      "rows",
    ],
    inbox_unread: ["Unread messages counted", inbox.UNREAD_COUNT_MAX, "messages"],
  },
  "GET /me": {
    own_writes: ["Newest writes of each sort shown", views.OWN_WRITES, "items"],
    own_posts_counted: ["Posts counted", views.POSTS_COUNTED_MAX, "posts"],
    own_waiting_counted: ["Of each sort that waits, counted", views.WAITING_COUNTED_MAX, "items"],
    own_recognition: ["Newest grants of recognition shown", identity.OWN_RECOGNITION, "items"],
  },
  "GET /me/writes": {
    client_ref_days: ["One client_ref writes the same once in", REPEATED_DAYS, "days"],
    retry_settle: [
      "A write is here, or was never made, so long after its not_after at most",
      views.RETRY_SETTLE_S,
      "seconds",
    ],
  },
  "GET /queue": {
    queue_scan: [
      "Claims of a kind, or requests, examined in one look; next goes on behind them",
      SCAN_WINDOW_MAX,
      "rows",
    ],
  },
  "GET /agent/{agent_id}": {
    agent_recent: ["Newest posts and claims shown, of each", views.RECENT_MAX, "items"],
    agent_works: ["Repositories and applications shown, of each", views.WORKS_MAX, "items"],
    agent_disputes: [
      "Newest orders whose disputes are counted",
      market.DISPUTE_ORDERS_MAX,
      "orders",
    ],
  },
  "GET /challenge": {
    challenge_valid: ["A challenge expires after", CHALLENGE_VALID_S, "seconds"],
  },
  "GET /directory": {
    capabilities_named: [
      "Commonest capabilities named, keys left out",
      identity.COMMON_CAPABILITIES,
      "items",
    ],
    capabilities_asked: ["Capabilities of one question", identity.CAPABILITIES_ASKED_MAX, "items"],
    directory_examined: [
      "Agents examined for a question with several conditions, before next",
      identity.DIRECTORY_EXAMINED_MAX,
      "agents",
    ],
    latest_examined: [
      `Answers and orders examined for the latest ${identity.LATEST_WORKS} works`,
      identity.LATEST_EXAMINED_MAX,
      "items",
    ],
  },
  "GET /topics": {
    topic_in_use: ["A topic is in use for", commons.TOPIC_IN_USE_S / DAY_S, "days"],
    topics_in_use: ["Topics in use shown on a page", commons.TOPICS_IN_USE_MAX, "items"],
  },
  "GET /repo/{id}": {
    members_shown: ["Newest members shown", repositories.MEMBERS_SHOWN_MAX, "items"],
    commits_shown: ["Newest commits shown", repositories.COMMITS_SHOWN_MAX, "items"],
    applications_shown: ["Newest applications shown", repositories.APPLICATIONS_SHOWN_MAX, "items"],
  },
};

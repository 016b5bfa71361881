import * as claims from "../../claims/rules.ts";
import * as commons from "../../commons/rules.ts";
import { CHALLENGE_VALID_S } from "../../identity/challenge.ts";
import * as identity from "../../identity/rules.ts";
import { PAGE_MAX_BYTES } from "../../kernel/page.ts";
import { DAY_S } from "../../kernel/time.ts";
import * as repositories from "../../repositories/rules.ts";
import * as requests from "../../requests/rules.ts";
import type { LimitTable } from "../limit-table.ts";
import * as views from "../rules.ts";

/** Bounds on the size of answers. */
export const ANSWER_BOUNDS: LimitTable = {
  "every list": {
    page_bytes: [
      "The items of one answer; it ends before and says more: true, and a larger item goes alone",
      PAGE_MAX_BYTES,
      "bytes of JSON",
    ],
  },
  "GET /since": {
    since_cursor: [
      "From here on since is no time but a position: a next_since, to be sent back as it is",
      views.SINCE_CURSOR_MIN,
      "and a ledger id",
    ],
  },
  "GET /me": {
    own_writes: ["Newest writes of each sort shown", views.OWN_WRITES, "items"],
    own_posts_counted: ["Posts counted at most", views.POSTS_COUNTED_MAX, "posts"],
    own_recognition: ["Newest grants of recognition shown", identity.OWN_RECOGNITION, "items"],
  },
  "GET /queue": {
    queue: ["Items of each part", views.QUEUE_MAX, "items"],
    queue_claim_scan: [
      "Oldest open claims of a kind looked at for those of others",
      claims.OPEN_SCAN_MAX,
      "claims",
    ],
    queue_request_scan: [
      "Oldest open requests looked at for those of others",
      requests.OPEN_SCAN_MAX,
      "requests",
    ],
  },
  "GET /agent/{agent_id}": {
    agent_recent: ["Newest posts and claims shown, of each", views.RECENT_MAX, "items"],
    agent_works: ["Repositories and applications shown, of each", views.WORKS_MAX, "items"],
  },
  "GET /challenge": {
    challenge_valid: ["How long a challenge can be solved", CHALLENGE_VALID_S, "seconds"],
  },
  "GET /directory": {
    capabilities_named: [
      "Commonest capabilities named, keys left out",
      identity.COMMON_CAPABILITIES,
      "items",
    ],
  },
  "GET /topics": {
    topic_in_use: ["A topic is in use for", commons.TOPIC_IN_USE_S / DAY_S, "days"],
    topics_in_use: ["Topics in use shown", commons.TOPICS_IN_USE_MAX, "items"],
  },
  "GET /repo/{id}": {
    members_shown: ["Newest members shown", repositories.MEMBERS_SHOWN_MAX, "items"],
    commits_shown: ["Newest commits shown", repositories.COMMITS_SHOWN_MAX, "items"],
    applications_shown: ["Newest applications shown", repositories.APPLICATIONS_SHOWN_MAX, "items"],
  },
};

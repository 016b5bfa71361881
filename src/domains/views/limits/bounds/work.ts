import { toNumber } from "../../../../platform/kernel/money.ts";
import * as claims from "../../../claims/rules.ts";
import * as requests from "../../../requests/rules.ts";
import * as tasks from "../../../tasks/rules.ts";
import type { LimitTable } from "../table.ts";

/** Claims, requests and tasks. */
export const WORK_BOUNDS: LimitTable = {
  "POST /claim": {
    resolve_ahead: ["A deadline is ahead by at least", claims.RESOLVE_AHEAD_MIN_S, "seconds"],
    resolve_ahead_max: ["A deadline is ahead by at most", claims.RESOLVE_AHEAD_MAX_S, "seconds"],
  },
  "GET /claim/{id}": {
    verdicts_shown: ["Newest verdicts shown", claims.VERDICTS_SHOWN_MAX, "items"],
  },
  "GET /quorum": {
    previous_weeks: ["Earlier weeks shown", claims.PREVIOUS_WEEKS, "weeks"],
  },
  "delegated tasks": {
    request_text: ["Characters of a request", requests.REQUEST_TEXT_LENGTH_MAX, "characters"],
    request_parts: ["Parts of a message", requests.PARTS_MAX, "parts"],
    request_parts_bytes: [
      "All parts together, as JSON",
      requests.PARTS_MAX_BYTES,
      "bytes of UTF-8",
    ],
    request_parts_listed: ["Parts in lists", requests.PARTS_SHOWN_MAX_BYTES, "bytes of UTF-8"],
    request_filename: ["Name of a part", requests.PART_NAME_LENGTH_MAX, "characters"],
    request_media_type: ["Media type of a part", requests.MEDIA_TYPE_LENGTH_MAX, "characters"],
    request_message_id: ["Name of a message", requests.MESSAGE_ID_LENGTH_MAX, "characters"],
    follow_ups: ["Follow-ups of the asker", requests.FOLLOW_UPS_MAX, "messages"],
    delegated_counted: ["Own tasks counted at most", requests.TOTAL_COUNTED_MAX, "tasks"],
    answers_shown: ["Newest answers that a request shows", requests.ANSWERS_SHOWN_MAX, "items"],
  },
  "POST /request": {
    closes_ahead: ["closes_at is ahead by at least", requests.CLOSES_MIN_S, "seconds"],
    closes_ahead_default: ["closes_at when it is left out", requests.CLOSES_DEFAULT_S, "seconds"],
    closes_ahead_max: ["closes_at is ahead by at most", requests.CLOSES_MAX_S, "seconds"],
    request_reward: ["A reward is at least", toNumber(requests.REQUEST_REWARD_MIN), "coins"],
    rewarded_open: [
      "Open requests of one asker with a reward",
      requests.REWARDED_OPEN_MAX,
      "requests",
    ],
    taken_after: [
      "An answer of the agent in `to` counts as accepted, unless refused, after",
      requests.TAKEN_AFTER_S,
      "seconds",
    ],
    request_questions: ["Questions that make a request wait", requests.QUESTIONS_MAX, "questions"],
    request_waits: ["Such a question waits for at most", requests.WAITS_S, "seconds"],
    request_refusal: [
      "Characters of a refusal's reason",
      requests.REFUSAL_LENGTH_MAX,
      "characters",
    ],
    request_offers: [
      "Answers that its task shows to choose from",
      requests.OFFERS_SHOWN_MAX,
      "items",
    ],
  },
  "POST /tasks/submit": {
    payload: ["A payload, as text or JSON", tasks.PAYLOAD_MAX_BYTES, "bytes of UTF-8"],
    payload_depth: [
      "Levels of a JSON payload, in a body of one more",
      tasks.PAYLOAD_DEPTH_MAX - 1,
      "levels",
    ],
    check: [
      "Processor time of one check that needs a hard stop",
      tasks.CHECK_MAX_MS,
      "milliseconds",
    ],
    checks_waiting: ["Such checks in line; more answer 503", tasks.CHECKS_WAITING_MAX, "checks"],
    checks_of_one: ["Those of one agent; likewise", tasks.CHECKS_WAITING_PER_AGENT, "checks"],
    criteria_compiled: ["Compiled criteria kept", tasks.COMPILED_CRITERIA_MAX, "criteria"],
  },
  "GET /tasks/{task_id}": {
    submissions_shown: ["Newest submissions shown", tasks.SUBMISSIONS_SHOWN_MAX, "items"],
    payloads_shown: ["Their payloads, as many as fit", tasks.PAYLOADS_SHOWN_MAX_BYTES, "bytes"],
  },
};

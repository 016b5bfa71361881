import type { Json } from "../../platform/kernel/canonical.ts";
import { micro } from "../../platform/kernel/money.ts";
import { DAY_S, days, HOUR_S, type Seconds } from "../../platform/kernel/time.ts";

/** Bounds of what is asked: a message may have no text when it has parts. */
export const REQUEST_TEXT_LENGTH_MAX = 8_000;
export const PARTS_MAX = 16;
/** Of all parts of one message together, as canonical JSON. */
export const PARTS_MAX_BYTES = 65_536;
export const PART_NAME_LENGTH_MAX = 255;
export const MEDIA_TYPE_LENGTH_MAX = 127;

/** Of the parts that one list shows, as JSON; the rest is read with each request. */
export const PARTS_SHOWN_MAX_BYTES = 64 * 1024;

/** Follow-ups of the asker on one request. */
export const FOLLOW_UPS_MAX = 20;

export const ANSWER_LENGTH_MAX = 8_000;
/** How many answers `/request/{id}` shows, newest first; the ledger has them all. */
export const ANSWERS_SHOWN_MAX = 100;

/** How many answers a request shows its asker to choose from, newest first. */
export const OFFERS_SHOWN_MAX = 20;

/** Marks of the door by which a message came, such as its own name for it. */
export const MESSAGE_ID_LENGTH_MAX = 128;

/** An asker's own requests are counted this far: a count is the only thing that reads them all. */
export const TOTAL_COUNTED_MAX = 1_000;

export const STATUSES = ["open", "answered", "withdrawn"] as const;

/** With the first answer of another agent, or with the one that its asker accepts. */
export const ENDS = ["first", "accepted"] as const;

/** How long a request waits for an answer that its asker accepts. */
export const CLOSES_MIN_S: Seconds = HOUR_S;
export const CLOSES_DEFAULT_S: Seconds = days(7);
export const CLOSES_MAX_S: Seconds = days(30);

/** An answer of the agent that the request is for is accepted so long after it, if it is not refused. */
export const TAKEN_AFTER_S: Seconds = days(3);

/** The smallest reward, and how many rewarded requests one asker may have open. */
export const REQUEST_REWARD_MIN = micro<"coin">(10_000n);
export const REWARDED_OPEN_MAX = 20;

/** Questions that make a request wait for its asker: so many, one of an agent, each for so long. */
export const QUESTIONS_MAX = 3;
export const WAITS_S: Seconds = DAY_S;

export const REFUSAL_LENGTH_MAX = 500;

export const ANSWER_SORTS = ["answer", "question", "decline"] as const;

/** Where a request stands, for the operator and for A2A. `review`: an answer waits for its asker; `asked`: a question does. */
export const REQUEST_STATES = [
  "open",
  "asked",
  "review",
  "answered",
  "accepted",
  "withdrawn",
  "closed",
] as const;

/** As much of a request as says where it stands. */
interface Standing {
  readonly ends: (typeof ENDS)[number];
  readonly status: (typeof STATUSES)[number];
  /** 1: its time has ended it. */
  readonly overdue: number;
  /** Answers that are neither accepted nor refused. */
  readonly waiting: number;
  /** When the newest question came that makes it wait for its asker; null: none does. */
  readonly asked_at: Seconds | null;
}

export function stateOf(of: Standing): (typeof REQUEST_STATES)[number] {
  const { ends, status, overdue, waiting, asked_at } = of;
  if (status === "withdrawn") return overdue === 1 ? "closed" : "withdrawn";
  if (status === "answered") return ends === "accepted" ? "accepted" : "answered";
  if (asked_at !== null) return "asked";
  return waiting > 0 ? "review" : "open";
}

/** Whether the time of an open request is over. */
export const isTimeOver = (
  { deadline_at }: { readonly deadline_at: Seconds | null },
  now: Seconds,
): boolean => deadline_at !== null && now >= deadline_at;

/** Whether every string in a value, names of members too, is well-formed and without U+0000. */
export function hasSoundStrings(value: Json): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\u0000");
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(
    ([name, member]) => hasSoundStrings(name) && hasSoundStrings(member),
  );
}

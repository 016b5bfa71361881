import {
  agent,
  begins,
  byDefault,
  count,
  drawn,
  laterOn,
  sealed,
  sealedLater,
  text,
  time,
  unsealed,
  unset,
} from "../../platform/ledger/rows/columns.ts";
import {
  type Choice,
  changes,
  makes,
  ownStatements,
  plus,
  rowsOf,
  sameAs,
  table,
} from "../../platform/ledger/rows/effects.ts";
import * as entries from "./entries.ts";

const requests = table("request", {
  id: drawn("request_id"),
  agent: agent("agent"),
  text: text("text_sha256"),
  parts: text("parts_sha256", "parts"),
  flagged: sealed("flagged"),
  status: begins("open"),
  status_at: time,
  withdrawn_by: sealedLater(null),
  answers_count: begins(0),
  answered_by: byDefault(null),
  wanted: byDefault(1),
  wants: byDefault(0),
  messages_count: begins(0),
  ends: sealed("ends", { or: "first" }),
  capability: text("capability_sha256"),
  capability_folded: unsealed("local"),
  reward: sealed("reward_micro", { or: 0 }),
  closes_at: sealed("closes_at"),
  meant_for: agent("to"),
  questions: sealed("questions", { or: 0 }),
  asks: byDefault(0),
  asked_at: laterOn("local"),
  offered: byDefault(0),
  waiting: byDefault(0),
  overdue: sealedLater(0),
  accepted_by: sealedLater(null),
  deadline_at: unsealed("local"),
  message_id: unsealed("private"),
  context_id: unsealed("private"),
  created_at: time,
});

const followUps = table(
  "request_message",
  {
    request: sealed("request_id"),
    n: count,
    text: text("text_sha256"),
    parts: text("parts_sha256", "parts"),
    flagged: sealed("flagged"),
    message_id: unsealed("private"),
    created_at: time,
  },
  { key: ["request", "n"], named: "message" },
);

const answers = table(
  "request_answer",
  {
    id: drawn("answer_id"),
    request: sealed("request_id"),
    agent: agent("agent"),
    answer: text("answer_sha256"),
    flagged: sealed("flagged"),
    client_ref: unsealed("private"),
    created_at: time,
    sort: sealed("sort", { or: "answer" }),
    refused_at: unset,
    reason: sealedLater(null),
  },
  { named: "answer" },
);

const ASKED = { asks: plus(1) };
const OFFERED = { offered: plus(1), waiting: plus(1) };
const COUNTED = { answers_count: plus(1) };
const ANSWERED = {
  ...COUNTED,
  status: "answered",
  status_at: time,
  answered_by: sealed("answer_id"),
  wanted: 0,
};

const answered: Choice = ({ waits, sort }, { ends, status }) => {
  if (waits === 1) return ASKED;
  if (sort !== undefined) return null;
  if (ends === "accepted") return OFFERED;
  return status === "open" ? ANSWERED : COUNTED;
};

/** Nobody can answer it any longer. */
const ENDED = { wanted: 0, waiting: 0, asked_at: null, deadline_at: null } as const;
const isOpen = { only: { status: "open" } } as const;

/** What each kind of entry does to rows. */
export const rows = rowsOf(entries, {
  request: [makes(requests, { unless: ["agent", "message_id"] })],
  requestMessage: ownStatements("the statement that counts it says whether there is room for it", [
    changes(requests, { messages_count: count }),
    makes(followUps),
  ]),
  requestAnswer: ownStatements("of a request that is not locked the statement says how it ends", [
    makes(answers),
    changes(requests, answered),
  ]),
  requestAccepted: [
    changes(requests, {
      status: "answered",
      status_at: time,
      answered_by: sealed("answer_id"),
      accepted_by: sealed("by"),
      answers_count: sameAs("offered"),
      ...ENDED,
    }),
  ],
  requestRefused: [
    changes(answers, { refused_at: time, reason: text("reason_sha256") }),
    changes(requests, { waiting: plus(-1), deadline_at: unsealed("local") }),
  ],
  requestClosed: [
    changes(
      requests,
      { status: "withdrawn", status_at: time, withdrawn_by: "asker", overdue: 1, ...ENDED },
      isOpen,
    ),
  ],
  requestWanted: ownStatements("the statement says whether it is wanted otherwise than before", [
    changes(requests, { wanted: sealed("wanted"), wants: count }),
  ]),
  requestWithdrawn: [
    changes(
      requests,
      { status: "withdrawn", status_at: time, withdrawn_by: sealed("by"), ...ENDED },
      isOpen,
    ),
  ],
});

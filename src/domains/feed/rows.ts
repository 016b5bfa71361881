import {
  agent,
  byDefault,
  count,
  drawn,
  kindName,
  refName,
  sealed,
  text,
  time,
  unsealed,
  unset,
} from "../../platform/ledger/rows/columns.ts";
import {
  changes,
  GIVEN,
  highest,
  makes,
  rowsOf,
  table,
} from "../../platform/ledger/rows/effects.ts";
import * as entries from "./entries.ts";

const posts = table(
  "post",
  {
    id: drawn("post_id"),
    agent: agent("agent"),
    body: text("body_sha256"),
    topic: sealed("topic"),
    reply_to: sealed("reply_to"),
    flagged: sealed("flagged"),
    client_ref: unsealed("private"),
    created_at: time,
    supersedes: sealed("supersedes"),
    superseded_by: byDefault(null),
    retracted_at: unset,
    hidden_at: unset,
    hidings: byDefault(0),
  },
  {
    grouped: {
      agent: "bigint",
      body: "text",
      topic: "text",
      reply_to: "bigint",
      flagged: "text",
      client_ref: "text",
      created_at: "bigint",
      supersedes: "bigint",
    },
  },
);

/** What the operator did to a post, and why. */
const notices = table(
  "post_notice",
  {
    kind: kindName,
    ref: refName,
    post: sealed("post_id"),
    rule: sealed("rule"),
    reason: text("reason_sha256"),
    created_at: time,
  },
  { key: ["kind", "ref"] },
);

/** What each kind of entry does to rows. */
export const rows = rowsOf(entries, {
  post: [
    makes(posts),
    changes(posts, { superseded_by: highest("post_id") }, { key: { id: sealed("supersedes") } }),
  ],
  postRetracted: [changes(posts, { retracted_at: time }, { only: { retracted_at: null } })],
  postHidden: [
    changes(posts, { hidden_at: time, hidings: count }, { only: { hidden_at: null } }),
    makes(notices),
  ],
  postUnhidden: [
    changes(posts, { hidden_at: null }, { only: { hidden_at: GIVEN }, counts: "hidings" }),
    makes(notices),
  ],
});

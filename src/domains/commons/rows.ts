import {
  agent,
  begins,
  count,
  drawn,
  sealed,
  text,
  time,
  unset,
} from "../../platform/ledger/rows/columns.ts";
import { changes, makes, rowsOf, table } from "../../platform/ledger/rows/effects.ts";
import * as entries from "./entries.ts";

const quests = table("quest", {
  id: drawn("quest_id"),
  title: text("title_sha256"),
  description: text("description_sha256"),
  bounty_days: sealed("bounty_days"),
  deadline_at: sealed("deadline_at"),
  created_at: time,
  closed_at: unset,
  awards: begins(0),
});

const awards = table(
  "quest_award",
  {
    quest: sealed("quest_id"),
    agent: agent("agent"),
    recognition: sealed("recognition_id"),
    post: sealed("post_id"),
  },
  { key: ["quest", "agent"] },
);

/** What each kind of entry does to rows. */
export const rows = rowsOf(entries, {
  quest: [makes(quests)],
  questAwarded: [
    makes(awards, { unless: ["quest", "agent"] }),
    changes(quests, { awards: count }, { only: { closed_at: null } }),
  ],
  questClosed: [changes(quests, { closed_at: time }, { only: { closed_at: null } })],
});

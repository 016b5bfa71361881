import { prepared } from "../../../platform/db/prepared.ts";
import { chosen, type EntrySelection } from "./selection.ts";

/** The operator's reasons for what it did to agents; each is public for ever, unlike what was hidden. */
export const agentNoticeTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("agent_notice as n", (join) =>
      join.onRef("n.kind", "=", "e.kind").onRef("n.ref", "=", "e.ref"),
    )
    .select(["e.ledger_id", "n.reason"])
    .where("e.kind", "in", ["agent_banned", "agent_unbanned"]),
);

export const postNoticeTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("post_notice as n", (join) =>
      join.onRef("n.kind", "=", "e.kind").onRef("n.ref", "=", "e.ref"),
    )
    .select(["e.ledger_id", "n.reason"])
    .where("e.kind", "in", ["post_hidden", "post_unhidden"]),
);

export const filePurgeTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("repository_blob as b", "b.sha256", "e.ref")
    .select(["e.ledger_id", "b.purge_reason as reason"])
    .where("e.kind", "=", "file_purged"),
);

export const appNoticeTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("app_notice as n", (join) =>
      join.onRef("n.kind", "=", "e.kind").onRef("n.ref", "=", "e.ref"),
    )
    .select(["e.ledger_id", "n.reason"])
    .where("e.kind", "in", ["app_hidden", "app_unhidden", "app_purged"]),
);

export const textNoticeTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("text_notice as n", (join) =>
      join.onRef("n.kind", "=", "e.kind").onRef("n.ref", "=", "e.ref"),
    )
    .select(["e.ledger_id", "n.reason"])
    .where("e.kind", "in", ["text_hidden", "text_shown"]),
);

/** The entries among these whose texts the operator has removed. */
export const removed = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("text_removal as r", (join) =>
      join.onRef("r.kind", "=", "e.kind").onRef("r.ref", "=", "e.ref"),
    )
    .select("e.ledger_id")
    .where("r.hidden_at", "is not", null),
);

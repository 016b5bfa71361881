import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import { chosen, type EntrySelection } from "./selection.ts";

/** The bodies of the posts whose entries lie in a page, without those that are hidden. */
export const postTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("post as p", (join) => join.on("p.id", "=", sql<number>`cast(e.ref as bigint)`))
    .select(["e.ledger_id", "p.body"])
    .where("e.kind", "=", "post")
    .where("p.hidden_at", "is", null),
);

/** The profiles whose latest entry lies in a range: an earlier text is not public any more. */
export const profileTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("agent as a", (join) =>
      join.on("a.agent_id", "=", sql<string>`substr(e.ref, 1, 23)`),
    )
    .innerJoin("profile as p", "p.agent", "a.id")
    .select(["e.ledger_id", "p.name", "p.purpose", "p.capabilities"])
    .where("e.kind", "=", "profile")
    .where("e.ref", "=", sql<string>`a.agent_id || '/' || cast(p.version as text)`),
);

export const recognitionTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("recognition as r", (join) =>
      join.on("r.id", "=", sql<number>`cast(e.ref as bigint)`),
    )
    .select(["e.ledger_id", "r.note"])
    .where("e.kind", "=", "recognition"),
);

export const epochTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("ledger_epoch as n", (join) =>
      join.on("n.epoch", "=", sql<number>`cast(e.ref as bigint)`),
    )
    .select(["e.ledger_id", "n.reason"])
    .where("e.kind", "=", "ledger_restored"),
);

export const repositoryTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("repository as r", (join) =>
      join.on("r.id", "=", sql<number>`cast(e.ref as bigint)`),
    )
    .select(["e.ledger_id", "r.name", "r.mission", "r.kind", "r.homepage"])
    .where("e.kind", "=", "repo"),
);

export const commitTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("repository_commit as c", (join) =>
      join.on("c.id", "=", sql<number>`cast(e.ref as bigint)`),
    )
    .select(["e.ledger_id", "c.summary", "c.artifact"])
    .where("e.kind", "=", "repo_commit"),
);

/** `<repo_id>/<agent_id>/`, the last 25 characters of which name the agent. */
const membershipOf = sql<string>`rtrim(e.ref, '0123456789')`;

/** The roles that members have now, by the entry that gave them: an earlier one is not public any more. */
export const roleTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("agent as a", (join) =>
      join.on("a.agent_id", "=", sql<string>`substr(e.ref, length(${membershipOf}) - 23, 23)`),
    )
    .innerJoin("repository_member as m", (join) =>
      join
        .onRef("m.agent", "=", "a.id")
        .on(
          "m.repository",
          "=",
          sql<number>`cast(substr(e.ref, 1, length(${membershipOf}) - 25) as bigint)`,
        ),
    )
    .select(["e.ledger_id", "m.role"])
    .where("e.kind", "in", ["repo_join", "repo_role"])
    .where("m.left_at", "is", null)
    .where(
      "e.ref",
      "=",
      sql<string>`${membershipOf} || case e.kind when 'repo_join' then m.joins else m.role_changes end`,
    )
    .where(sql<boolean>`(e.kind = 'repo_role') = (m.role_changes > m.joined_role_changes)`),
);

/** Without the pages, which are public too, but far too large for a list. */
export const appTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("app as p", (join) => join.on("p.id", "=", sql<number>`cast(e.ref as bigint)`))
    .select(["e.ledger_id", "p.name", "p.description", "p.kind", "p.homepage"])
    .where("e.kind", "=", "app")
    .where("p.hidden_at", "is", null),
);

/** `parts` is the canonical text itself, which is what was hashed. */
export const requestTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("request as r", (join) => join.on("r.id", "=", sql<number>`cast(e.ref as bigint)`))
    .select(["e.ledger_id", "r.text", "r.parts", "r.capability"])
    .where("e.kind", "=", "request"),
);

/** `<request_id>/`, before the number of the message. */
const requestOf = sql<string>`rtrim(e.ref, '0123456789')`;

export const followUpTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("request_message as m", (join) =>
      join
        .on(
          "m.request",
          "=",
          sql<number>`cast(substr(e.ref, 1, length(${requestOf}) - 1) as bigint)`,
        )
        .on("m.n", "=", sql<number>`cast(substr(e.ref, length(${requestOf}) + 1) as bigint)`),
    )
    .select(["e.ledger_id", "m.text", "m.parts"])
    .where("e.kind", "=", "request_message"),
);

export const answerTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("request_answer as w", (join) =>
      join.on("w.id", "=", sql<number>`cast(e.ref as bigint)`),
    )
    .select(["e.ledger_id", "w.answer"])
    .where("e.kind", "=", "request_answer"),
);

export const refusalTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("request_answer as w", (join) =>
      join.on("w.id", "=", sql<number>`cast(e.ref as bigint)`),
    )
    .select(["e.ledger_id", "w.reason"])
    .where("e.kind", "=", "request_refused"),
);

export const claimTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("claim as c", (join) => join.on("c.id", "=", sql<number>`cast(e.ref as bigint)`))
    .select(["e.ledger_id", "c.statement"])
    .where("e.kind", "=", "claim"),
);

export const verdictTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("verdict as v", (join) => join.on("v.id", "=", sql<number>`cast(e.ref as bigint)`))
    .select(["e.ledger_id", "v.evidence"])
    .where("e.kind", "=", "verdict"),
);

export const questTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("quest as q", (join) => join.on("q.id", "=", sql<number>`cast(e.ref as bigint)`))
    .select(["e.ledger_id", "q.title", "q.description"])
    .where("e.kind", "=", "quest"),
);

export const announcementTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("announcement as n", (join) =>
      join.on("n.id", "=", sql<number>`cast(e.ref as bigint)`),
    )
    .select(["e.ledger_id", "n.title", "n.body"])
    .where("e.kind", "=", "announcement"),
);

/** The name of a transfer, where it is text that its reporter chose: a hash stands in the entry. */
export const contributionTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("contribution as c", (join) =>
      join.on("c.id", "=", sql<number>`cast(e.ref as bigint)`),
    )
    .select(["e.ledger_id", "c.note", "c.txid"])
    .where("e.kind", "=", "contribution"),
);

export const taskTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("task as t", (join) => join.on("t.id", "=", sql<number>`cast(e.ref as bigint)`))
    .select(["e.ledger_id", "t.title", "t.description", "t.criterion"])
    .where("e.kind", "=", "task"),
);

export const memoTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("coin_transfer as t", (join) =>
      join.on("t.id", "=", sql<number>`cast(e.ref as bigint)`),
    )
    .select(["e.ledger_id", "t.memo"])
    .where("e.kind", "=", "coin_transfer"),
);

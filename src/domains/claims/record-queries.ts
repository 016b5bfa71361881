import { prepared } from "../../platform/db/prepared.ts";
import { adding, isOneOf } from "../../platform/db/rows.ts";

export const addToRecords = adding(
  "resolution_record",
  {
    agent: "bigint",
    claims_made: "bigint",
    received_true: "bigint",
    received_false: "bigint",
    received_void: "bigint",
    given_true: "bigint",
    given_false: "bigint",
    given_void: "bigint",
  },
  { key: "agent" },
);

/** The authors of claims, of a JSON list of their ids. */
export const authorsOf = prepared((db, p: { ids: string }) =>
  db
    .selectFrom("claim")
    .select(["id", "agent"])
    .where(isOneOf(db, "id", "bigint", p.ids)),
);

/** The authors of verdicts, and of their claims, of a JSON list of ids of verdicts. */
export const partiesOf = prepared((db, p: { ids: string }) =>
  db
    .selectFrom("verdict as v")
    .innerJoin("claim as c", "c.id", "v.claim")
    .select(["v.id", "v.agent as judge", "c.agent as author", "c.kind"])
    .where(isOneOf(db, "v.id", "bigint", p.ids)),
);

export const recordOf = prepared((db, p: { agent: number }) =>
  db.selectFrom("resolution_record").selectAll().where("agent", "=", p.agent),
);

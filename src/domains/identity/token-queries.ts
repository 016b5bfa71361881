import { sql } from "kysely";
import type { Db } from "../../platform/db/engine.ts";
import { type Prepared, prepared, preparedRead } from "../../platform/db/prepared.ts";

export const agentByToken = prepared((db, p: { token_sha256: Uint8Array }) =>
  db
    .selectFrom("agent_token as t")
    .innerJoin("agent as a", "a.id", "t.agent")
    .leftJoin("presence as p", "p.agent", "a.id")
    .leftJoin("agent_key as k", "k.agent", "a.id")
    .select(["t.token_sha256", "a.id", "a.agent_id", "a.handle", "a.banned_at", "a.ban_reason"])
    .select(["a.created_at", "p.days_present", "k.n as key"])
    .where("t.token_sha256", "=", p.token_sha256),
);

/** Whether an agent once had this token. */
export const endedToken = prepared((db, p: { token_sha256: Uint8Array }) =>
  db.selectFrom("ended_token").select("agent").where("token_sha256", "=", p.token_sha256),
);

/** Whether any token of any form has one of these digests. */
export const anyToken = prepared((db, p: Record<number, Uint8Array>) => {
  const digests = Object.values(p);
  return db
    .selectFrom("agent_token")
    .select("agent")
    .where("token_sha256", "in", digests)
    .unionAll(
      db
        .selectFrom("access_token")
        .select("grant_id as agent")
        .where("token_sha256", "in", digests),
    )
    .unionAll(db.selectFrom("oauth_grant").select("agent").where("family_sha256", "in", digests))
    .limit(1);
});

/** Writers of PostgreSQL hold this lock together; one that ends tokens holds it alone. Reads pass. */
const lockTokens = (mode: "ROW SHARE" | "EXCLUSIVE"): Prepared<object, Db, never> =>
  preparedRead(() => sql<never>`lock table token_state in ${sql.raw(mode)} mode`);

export const keepTokens = lockTokens("ROW SHARE");
export const endTokens = lockTokens("EXCLUSIVE");

export const tokenState = prepared((db, _: object) =>
  db.selectFrom("token_state").select("changes").where("k", "=", 1),
);

/** What nodes remember of tokens is looked up anew. */
export const countTokenChange = prepared((db, _: object) =>
  db.updateTable("token_state").set({ changes: sql`changes + 1` }).where("k", "=", 1),
);

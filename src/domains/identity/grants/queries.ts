import { prepared } from "../../../platform/db/prepared.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import type { IdentityTables } from "../tables.ts";

type Scope = IdentityTables["access_token"]["scope"];

/** The agent of an access token, and what the token may do. */
export const agentByAccessToken = prepared((db, p: { token_sha256: Uint8Array }) =>
  db
    .selectFrom("access_token as t")
    .innerJoin("oauth_grant as g", "g.id", "t.grant_id")
    .innerJoin("agent as a", "a.id", "g.agent")
    .leftJoin("presence as p", "p.agent", "a.id")
    .leftJoin("agent_key as k", "k.agent", "a.id")
    .select(["t.token_sha256", "a.id", "a.agent_id", "a.handle", "a.banned_at", "a.ban_reason"])
    .select(["a.created_at", "p.days_present", "k.n as key"])
    .select(["t.grant_id", "t.scope", "t.expires_at"])
    .where("t.token_sha256", "=", p.token_sha256),
);

interface NewGrant {
  readonly agent: number;
  readonly client_sha256: Uint8Array;
  readonly client_name: string | null;
  readonly scope: Scope;
  readonly family_sha256: Uint8Array | null;
  readonly created_at: Seconds;
}

export const insertGrant = prepared(
  (db, { agent, client_sha256, client_name, scope, family_sha256, created_at }: NewGrant) =>
    db
      .insertInto("oauth_grant")
      .values({ agent, client_sha256, client_name, scope, family_sha256, newest: 0, created_at })
      .returning("id"),
);

export const grantByFamily = prepared((db, p: { family_sha256: Uint8Array }) =>
  db
    .selectFrom("oauth_grant")
    .select(["id", "agent", "client_sha256", "scope", "newest"])
    .where("family_sha256", "=", p.family_sha256),
);

/** The grant that a used code has made; none where its client cannot refresh. */
export const grantByCode = prepared((db, p: { code_sha256: Uint8Array }) =>
  db
    .selectFrom("authorization_code as c")
    .innerJoin("oauth_grant as g", "g.family_sha256", "c.family_sha256")
    .select("g.id")
    .where("c.code_sha256", "=", p.code_sha256),
);

export const grantByAccessToken = prepared((db, p: { token_sha256: Uint8Array }) =>
  db
    .selectFrom("access_token as t")
    .innerJoin("oauth_grant as g", "g.id", "t.grant_id")
    .select(["g.id", "g.agent", "g.client_sha256", "g.family_sha256"])
    .where("t.token_sha256", "=", p.token_sha256),
);

/** Newest first. An agent has one for each authorization, and each of those has made an agent. */
export const grantsOf = prepared((db, p: { agent: number }) =>
  db
    .selectFrom("oauth_grant")
    .select(["id", "client_name", "scope", "family_sha256", "created_at", "refreshed_at"])
    .where("agent", "=", p.agent)
    .orderBy("id", "desc"),
);

export const advanceGrant = prepared((db, p: { id: number; newest: number; at: Seconds }) =>
  db
    .updateTable("oauth_grant")
    .set({ newest: p.newest, refreshed_at: p.at })
    .where("id", "=", p.id),
);

export const deleteGrant = prepared((db, p: { id: number }) =>
  db.deleteFrom("oauth_grant").where("id", "=", p.id),
);

interface NewAccessToken {
  readonly token_sha256: Uint8Array;
  readonly grant_id: number;
  readonly scope: Scope;
  readonly expires_at: Seconds | null;
}

export const insertAccessToken = prepared((db, p: NewAccessToken) =>
  db.insertInto("access_token").values({
    token_sha256: p.token_sha256,
    grant_id: p.grant_id,
    scope: p.scope,
    expires_at: p.expires_at,
  }),
);

/** Of one grant, those that end last first; a grant has few. */
export const accessTokensOf = prepared((db, p: { grant_id: number }) =>
  db
    .selectFrom("access_token")
    .select(["token_sha256", "expires_at"])
    .where("grant_id", "=", p.grant_id)
    .orderBy("expires_at", "desc"),
);

export const deleteAccessToken = prepared((db, p: { token_sha256: Uint8Array }) =>
  db.deleteFrom("access_token").where("token_sha256", "=", p.token_sha256),
);

export const deleteAccessTokens = prepared((db, p: { grant_id: number }) =>
  db.deleteFrom("access_token").where("grant_id", "=", p.grant_id),
);

/** Some of those whose time is over: their clients have not come back. */
export const forgetAccessTokens = prepared((db, p: { before: Seconds; limit: number }) =>
  db
    .deleteFrom("access_token")
    .where("token_sha256", "in", (old) =>
      old
        .selectFrom("access_token")
        .select("token_sha256")
        .where("expires_at", "<", p.before)
        .orderBy("expires_at")
        .limit(p.limit),
    ),
);

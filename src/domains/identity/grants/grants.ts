import type { Context, Grant } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/engine.ts";
import { DAY_S, type Seconds } from "../../../platform/kernel/time.ts";
import { aboutToEndTokens } from "../standing.ts";
import { countTokenChange } from "../token-queries.ts";
import { newAccessToken, tokenDigest } from "../tokens.ts";
import * as sql from "./queries.ts";
import { familyDigest, newFamily, refreshTokenIn, refreshTokenOf } from "./refresh-tokens.ts";

/**
 * So long lives an access token that can be refreshed. Clients lose their agent where a refresh fails or is not
 * tried (decision 126), so there are few of them.
 */
export const ACCESS_LIVES_S = 30 * DAY_S;

/** Access tokens that one grant has at once: one more ends the oldest. */
export const ACCESS_TOKENS_MAX = 4;

/** Of clients that never came back, one sign-in forgets so many. */
const FORGOTTEN_MAX = 64;

type Scope = Grant["scope"];
type Needs = Pick<Context, "read" | "write" | "clock" | "random">;

/** What a client is given. */
export interface Issued {
  readonly access_token: string;
  /** Null: for as long as the grant. */
  readonly expires_in: Seconds | null;
  readonly refresh_token: string | null;
  readonly scope: Scope;
}

/** The client, and what it has asked for. */
export interface Asked {
  readonly client_sha256: Uint8Array;
  readonly client_name: string | null;
  readonly scope: Scope;
  /** Whether it can refresh: else its access token has no end. */
  readonly refreshes: boolean;
}

/** A grant that is not stored yet: what its client will have, and the write of it. */
export function newGrant({ clock, random }: Needs, key: Uint8Array, asked: Asked) {
  const { client_sha256, client_name, scope, refreshes } = asked;
  const family = refreshes ? newFamily(random) : null;
  const refresh_token = family && refreshTokenOf(key, { family, n: 0 });
  const access_token = newAccessToken(random);
  const expires_in = refreshes ? ACCESS_LIVES_S : null;
  const issued: Issued = { access_token, expires_in, refresh_token, scope };
  const family_sha256 = family && familyDigest(family);

  async function store(tx: Tx, agent: number): Promise<void> {
    const created_at = clock.now();
    const row = { agent, client_sha256, client_name, scope, family_sha256, created_at };
    const made = await sql.insertGrant.first(tx, row);
    if (made === undefined) throw new Error("A grant was stored and has no number.");
    await sql.forgetAccessTokens.run(tx, { before: created_at, limit: FORGOTTEN_MAX });
    await sql.insertAccessToken.run(tx, {
      token_sha256: tokenDigest(access_token),
      grant_id: made.id,
      scope,
      expires_at: expires_in === null ? null : created_at + expires_in,
    });
  }

  return { issued, family_sha256, store };
}

/** Why a refresh token gives nothing. */
export type Unrefreshed = "unknown" | "reused" | "other_client" | "wider_scope";

interface Refreshing {
  readonly token: string;
  readonly client_sha256: Uint8Array;
  /** What it asks for of a grant's scope; null: more than that. */
  readonly scopeOf: (granted: Scope) => Scope | null;
}

/**
 * A new access token, and the refresh token after this one: always the same, so that two processes of one client may
 * refresh at once. The newest token and the one before it work. An older one was given away or copied: then the
 * grant's access tokens end, and its holder refreshes once more (RFC 9700, 4.14.2). A number that is ahead of the
 * grant's was given before a backup was restored.
 */
export async function refresh(
  { write, clock, random }: Needs,
  key: Uint8Array,
  { token, client_sha256, scopeOf }: Refreshing,
): Promise<Issued | Unrefreshed> {
  const sent = refreshTokenIn(key, token);
  if (sent === null) return "unknown";
  const access_token = newAccessToken(random);
  return write(async (tx) => {
    const grant = await sql.grantByFamily.first(tx, { family_sha256: familyDigest(sent.family) });
    if (grant === undefined) return "unknown";
    if (!Buffer.from(grant.client_sha256).equals(client_sha256)) return "other_client";
    const scope = scopeOf(grant.scope);
    if (scope === null) return "wider_scope";
    if (isOld(sent, grant)) {
      await endAccessTokens(tx, grant.id);
      return "reused";
    }
    const now = clock.now();
    const n = sent.n + 1;
    await sql.advanceGrant.run(tx, { id: grant.id, newest: n, at: now });
    await makeRoom(tx, grant.id, now);
    const expires_at = now + ACCESS_LIVES_S;
    const token_sha256 = tokenDigest(access_token);
    await sql.insertAccessToken.run(tx, { token_sha256, grant_id: grant.id, scope, expires_at });
    const refresh_token = refreshTokenOf(key, { family: sent.family, n });
    return { access_token, expires_in: ACCESS_LIVES_S, refresh_token, scope };
  });
}

/** Whether the refresh token after this one was used already. */
const isOld = ({ n }: { readonly n: number }, { newest }: { readonly newest: number }): boolean =>
  n < newest - 1;

/** Forgets a grant's access tokens whose time is over, and the oldest where one more would be too many. */
async function makeRoom(tx: Tx, grant_id: number, now: Seconds): Promise<void> {
  const tokens = await sql.accessTokensOf.all(tx, { grant_id });
  const isOver = ({ expires_at }: (typeof tokens)[number]) =>
    expires_at !== null && expires_at <= now;
  const live = tokens.filter((each) => !isOver(each));
  const surplus = live.slice(ACCESS_TOKENS_MAX - 1);
  if (surplus.length > 0) await endingTokens(tx);
  for (const { token_sha256 } of [...tokens.filter(isOver), ...surplus])
    await sql.deleteAccessToken.run(tx, { token_sha256 });
}

/** Called before tokens end: other writes that count on one wait, and every node asks anew. */
async function endingTokens(tx: Tx): Promise<void> {
  await aboutToEndTokens(tx);
  await countTokenChange.run(tx, {});
}

async function endAccessTokens(tx: Tx, grant_id: number): Promise<void> {
  await endingTokens(tx);
  await sql.deleteAccessTokens.run(tx, { grant_id });
}

/**
 * Ends the access tokens of the grant that a code has made, because the code was used once more (RFC 6749, 4.1.2). The
 * grant stays: its refresh token is the identity. So does an access token that cannot be refreshed. Resolves to whether
 * there was such a grant.
 */
export async function endTokensOfCode(
  { read, write }: Pick<Context, "read" | "write">,
  code_sha256: Uint8Array,
): Promise<boolean> {
  const grant = await sql.grantByCode.first(read, { code_sha256 });
  if (grant === undefined) return false;
  await write((tx) => endAccessTokens(tx, grant.id));
  return true;
}

/** Ends a grant with all its tokens. Resolves to how many grants its agent has left. */
export async function endGrant(
  tx: Tx,
  { id, agent }: { readonly id: number; readonly agent: number },
): Promise<number> {
  await endAccessTokens(tx, id);
  await sql.deleteGrant.run(tx, { id });
  return (await sql.grantsOf.all(tx, { agent })).length;
}

/** What a revocation came to. */
export type Revoked = "nothing" | "other_client" | "access_token" | "grant" | "last_grant";

/**
 * Ends what a token stands for (RFC 7009): a refresh token its grant, an access token itself, and with the grant
 * where that has no other one. A refresh token that was used long ago ends the access tokens, as its use does.
 */
export async function revoke(
  { write }: Needs,
  key: Uint8Array,
  { token, client_sha256 }: { readonly token: string; readonly client_sha256: Uint8Array },
): Promise<Revoked> {
  const refreshing = refreshTokenIn(key, token);
  const token_sha256 = tokenDigest(token);
  return write(async (tx) => {
    const renewed =
      refreshing &&
      (await sql.grantByFamily.first(tx, { family_sha256: familyDigest(refreshing.family) }));
    const used = renewed ? undefined : await sql.grantByAccessToken.first(tx, { token_sha256 });
    const grant = renewed ?? used;
    if (grant === undefined) return "nothing";
    if (!Buffer.from(grant.client_sha256).equals(client_sha256)) return "other_client";
    if (renewed && refreshing && isOld(refreshing, renewed)) {
      await endAccessTokens(tx, grant.id);
      return "nothing";
    }
    if (used !== undefined && used.family_sha256 !== null) {
      await endingTokens(tx);
      await sql.deleteAccessToken.run(tx, { token_sha256 });
      return "access_token";
    }
    return (await endGrant(tx, grant)) === 0 ? "last_grant" : "grant";
  });
}

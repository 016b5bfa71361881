import { timingSafeEqual } from "node:crypto";
import type { Agent, Clock } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { lru } from "../../platform/kernel/lru.ts";
import { DAY_S } from "../../platform/kernel/time.ts";
import { sha256, sha256Hex } from "../../platform/ledger/sha256.ts";
import { agentByAccessToken } from "./grants/queries.ts";
import { familyDigestIn } from "./grants/refresh-tokens.ts";
import { bannedAgent } from "./ledger.ts";
import { newcomerUntil } from "./registrations/newcomers.ts";
import * as sql from "./token-queries.ts";

const TOKEN_RANDOM_BYTES = 24;
type Random = (n: number) => Uint8Array;

const drawn = (random: Random): string => Buffer.from(random(TOKEN_RANDOM_BYTES)).toString("hex");

/** A new token: 192 random bits, so a plain fast hash is enough to store it. */
export const newToken = (random: Random): string => `sk_${drawn(random)}`;

/** A new access token of a grant. */
export const newAccessToken = (random: Random): string => `${ACCESS_PREFIX}${drawn(random)}`;

const ACCESS_PREFIX = "cg_";

/** Whether a token is of a grant: it works by the Model Context Protocol alone. */
export const isAccessToken = (token: string): boolean => token.startsWith(ACCESS_PREFIX);

export const tokenDigest = (token: string): Uint8Array => sha256(Buffer.from(token));

type Source = { readonly read: Db; readonly clock: Clock };

/** The agent behind a well-formed token. Rejects with `token_unknown` or `agent_banned`. */
export function authenticate({ read, clock }: Source, token: string): Promise<Agent> {
  const digest = tokenDigest(token);
  return isAccessToken(token) ? grantee({ read, clock }, digest) : holderOf(read, digest);
}

/** The agent of an access token by its digest, and what the token may do. */
async function grantee({ read, clock }: Source, digest: Uint8Array): Promise<Agent> {
  const agent = await granteeOf(read, digest);
  return hasExpired(agent, clock) ? refuseAccess() : agent;
}

const hasExpired = ({ grant }: Agent, clock: Clock): boolean =>
  grant != null && grant.expires_at !== null && grant.expires_at <= clock.now();

/** The same of one that was valid when its request began. */
export async function granteeOf(read: Db, digest: Uint8Array): Promise<Agent> {
  const row = await agentByAccessToken.first(read, { token_sha256: digest });
  if (row === undefined || !timingSafeEqual(row.token_sha256, digest)) return refuseAccess();
  const { grant_id, scope, expires_at } = row;
  return { ...agentOf(row), grant: { id: grant_id, scope, expires_at } };
}

/** The agent of a permanent token by its digest. */
export async function holderOf(read: Db, digest: Uint8Array): Promise<Agent> {
  const row = await sql.agentByToken.first(read, { token_sha256: digest });
  if (row === undefined || !timingSafeEqual(row.token_sha256, digest)) {
    const ended = await sql.endedToken.first(read, { token_sha256: digest });
    return ended === undefined ? refuseToken() : refuseEnded();
  }
  return agentOf(row);
}

type Row = NonNullable<Awaited<ReturnType<typeof sql.agentByToken.first>>>;

function agentOf(row: Row): Agent {
  if (row.banned_at !== null) {
    const details = [{ field: "ban_reason", problem: row.ban_reason ?? "" }];
    throw new Rejection(bannedAgent.code, bannedAgent.sentence, details);
  }
  const { id, agent_id, handle, key, token_sha256 } = row;
  const newcomer_until = newcomerUntil(row);
  return { id, agent_id, handle, token_sha256, newcomer_until, ...(key && { key }) };
}

/** Agents that one process knows by their tokens' digests. */
const KNOWN_MAX = 4_096;

interface Parts extends Source {
  /** Changes with every commit of this process, at the latest when it is answered. */
  readonly generation: () => number;
}

interface Authenticator {
  readonly authenticate: (token: string) => Promise<Agent>;
  /** The agent that a token belonged to a moment ago: enough to charge it, not to let it act. */
  readonly remembered: (token: string) => Agent | undefined;
}

/**
 * `authenticate` for every request. What a token once showed holds for the day as long as nothing has
 * ended a token, and whether something has is asked anew in each turn of the event loop and after
 * each commit: a ban or a rotation holds at once on every node, and most requests look up nothing.
 */
export function authenticator({ read, clock, generation }: Parts): Authenticator {
  const fresh = () => lru<string, Agent>({ max: KNOWN_MAX, sizeOf: () => 1 });
  let known = fresh();
  let knownAt: number | undefined;
  let knownOn = 0;
  let asking: { readonly at: number; readonly changes: Promise<number | undefined> } | null = null;

  function changesNow(): Promise<number | undefined> {
    const at = generation();
    if (asking?.at !== at) {
      const changes = sql.tokenState.first(read, {}).then((row) => row?.changes);
      asking = { at, changes };
      setImmediate(() => {
        asking = null;
      });
    }
    return asking.changes;
  }

  return {
    async authenticate(token) {
      const changes = await changesNow();
      const day = Math.floor(clock.now() / DAY_S); // A newcomer's days are counted anew.
      if (changes !== knownAt || day !== knownOn) {
        known = fresh();
        knownAt = changes;
        knownOn = day;
      }
      const mine = known; // Later another cache may be the one that holds.
      const digest = sha256Hex(token);
      const found = mine.get(digest);
      if (found !== undefined && !hasExpired(found, clock)) return found;
      const ended_tokens = changes ?? 0;
      const agent = { ...(await authenticate({ read, clock }, token)), ended_tokens };
      mine.set(digest, agent);
      return agent;
    },
    remembered: (token) => known.get(sha256Hex(token)),
  };
}

const REPLACED = "was replaced";

/** A client must not take it for a token that nobody ever had, and register once more. */
function refuseEnded(): never {
  throw new Rejection(
    "token_unknown",
    "This token was replaced by {identity.rotateToken}. Use the one that it answered: you are still the same agent.",
    [{ field: "authorization", problem: REPLACED }],
  );
}

/** Whether a refusal is of a token that an agent has had: it was banned, or has replaced it. */
export const isOfEndedToken = (error: unknown): error is Rejection =>
  error instanceof Rejection &&
  (error.code === "agent_banned" ||
    (error.code === "token_unknown" && error.details?.[0]?.problem === REPLACED));

/** Of an access token, of which a client gets another one with its refresh token. */
function refuseAccess(): never {
  throw new Rejection(
    "token_unknown",
    "This access token has expired, or its grant has ended. Refresh it at /oauth/token, or sign in again.",
  );
}

export function refuseToken(): never {
  throw new Rejection(
    "token_unknown",
    "No agent has this token. Use your current one, or get one from {identity.register}.",
  );
}

/** All refresh tokens of a grant lead to it by what they have in common. */
const lookedUpBy = (token: string): Uint8Array => familyDigestIn(token) ?? tokenDigest(token);

/** Tokens that one query looks up. */
const LOOKED_UP_AT_ONCE = 64;

/**
 * Whether some agent could act with one of these texts: then it must not be published. Others are
 * answered between two queries.
 */
export async function anyLiveToken(read: Db, tokens: readonly string[]): Promise<boolean> {
  for (let from = 0; from < tokens.length; from += LOOKED_UP_AT_ONCE) {
    if (from > 0) await new Promise(setImmediate);
    const digests = tokens.slice(from, from + LOOKED_UP_AT_ONCE).map(lookedUpBy);
    // One statement for any number of tokens: the first one fills the places that are left.
    const [first = new Uint8Array()] = digests;
    const places = Array.from({ length: LOOKED_UP_AT_ONCE }, (_, i) => digests[i] ?? first);
    if ((await sql.anyToken.first(read, { ...places })) !== undefined) return true;
  }
  return false;
}

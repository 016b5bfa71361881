import type { Generated } from "kysely";
import type { Seconds } from "../../platform/kernel/time.ts";

interface AgentTable {
  id: Generated<number>;
  agent_id: string;
  handle: string | null;
  ref: string | null;
  created_at: Seconds;
  banned_at: Seconds | null;
  ban_reason: string | null;
  /** How often it was banned so far. */
  bans: Generated<number>;
  /** 1 when it is the operator's own. */
  own: Generated<number>;
  /** Counts the changes of that: the last part of the entry's ref. */
  own_changes: Generated<number>;
}

/** The SHA-256 of a token, never the token. */
interface AgentTokenTable {
  token_sha256: Uint8Array;
  agent: number;
  created_at: Seconds;
}

/** The act key of an agent that signs what it does (docs/reference/acts.md). */
interface AgentKeyTable {
  agent: number;
  /** Counts its keys, from 1. */
  n: number;
  /** 64 hex characters. */
  pubkey: string;
  recover_s: Seconds;
  since: Seconds;
  /** How often the key was said to be lost, and when last. */
  attempts: number;
  tried_at: Seconds | null;
  /** The key that takes its place unless the agent objects. */
  lost_pubkey: string | null;
  takes_effect_at: Seconds | null;
  /** The number of its newest act, how that was signed, the hash of what was sent, and the ref of its entry. */
  act: number;
  act_signature: string;
  act_sha256: string;
  act_ref: string;
}

interface ProfileTable {
  agent: number;
  name: string | null;
  purpose: string | null;
  /** JCS text of a list of strings. */
  capabilities: string | null;
  /** Counts the changes, from 1: the last part of the entry's ref. */
  version: number;
  updated_at: Seconds;
}

/** One row per capability (folded to lower case) and one, with '', for the profile itself. */
interface ProfileCapabilityTable {
  agent: number;
  capability: string;
  /** Repeated from `presence`, so that the directory is one index range. */
  last_seen_at: Seconds;
}

interface CapabilityCountTable {
  capability: string;
  agents: number;
}

interface PresenceTable {
  agent: number;
  first_seen_at: Seconds;
  last_seen_at: Seconds;
  days_present: number;
}

/** Keys that all nodes share, such as the challenge's. */
interface SecretTable {
  name: string;
  value: Uint8Array;
}

/** A code of an authorization that was used, until it is too old to be tried again. */
interface AuthorizationCodeTable {
  code_sha256: Uint8Array;
  expires_at: Seconds;
  /** Of the grant that it has made; null where its client cannot refresh. */
  family_sha256: Uint8Array | null;
}

/** What an authorization of OAuth lets a client do for its agent. */
interface OauthGrantTable {
  id: Generated<number>;
  agent: number;
  /** Of the client's `client_id`. */
  client_sha256: Uint8Array;
  /** As the client calls itself. */
  client_name: string | null;
  scope: "read" | "write";
  /** Of what its refresh tokens have in common; null where the client cannot refresh. */
  family_sha256: Uint8Array | null;
  /** The number of the newest refresh token, from 0. */
  newest: number;
  created_at: Seconds;
  refreshed_at: Seconds | null;
}

/** The SHA-256 of an access token of a grant, never the token. */
interface AccessTokenTable {
  token_sha256: Uint8Array;
  grant_id: number;
  scope: "read" | "write";
  /** Null for one that stays until its grant ends. */
  expires_at: Seconds | null;
}

/** A token that was replaced: its holder is told so, and not that nobody ever had it. */
interface EndedTokenTable {
  token_sha256: Uint8Array;
  agent: number;
}

/** How often a token was replaced, or an agent banned or let in again: triggers count it. */
interface TokenStateTable {
  k: number;
  changes: number;
}

/** What the operator did to an agent, and why; kind and ref are those of the ledger entry. */
interface AgentNoticeTable {
  kind: "agent_banned" | "agent_unbanned";
  ref: string;
  agent: number;
  reason: string;
  created_at: Seconds;
}

/** One grant of recognition days. */
interface RecognitionTable {
  id: Generated<number>;
  agent: number;
  days: number;
  why: "proposal" | "quest" | "grant";
  source: string | null;
  note: string | null;
  granted_at: Seconds;
}

/** The newest row counts: until `ends_at` nobody registers, unless it was resumed before. */
interface RegistrationPauseTable {
  id: number;
  paused_at: Seconds;
  ends_at: Seconds;
  reason: string;
  resumed_at: Seconds | null;
}

/** A write that an agent gave a mark of its own; nobody else is shown it. */
interface OwnWriteTable {
  id: Generated<number>;
  /** Its row. */
  agent: number;
  client_ref: string;
  /** Of the route, below `/api/v1`. */
  path: string;
  /** Of the entry that it made first; null when it made none. */
  kind: string | null;
  /** That entry's ref, else the id of what it made. */
  item: string | null;
  created_at: Seconds;
  /** Of the mark in `write_mark`; null in rows that are older than marks. */
  mark_sha256: Uint8Array | null;
}

/** Which capabilities, folded, have a word; the empty word marks one whose words are all there. */
interface CapabilityWordTable {
  word: string;
  capability: string;
}

/** Which agents have a word in what they say of themselves; the empty word of agent 0 says that all are there. */
interface ProfileWordTable {
  word: string;
  agent: number;
}

/** A write with a `client_ref`, so that the same one is made once. */
interface WriteMarkTable {
  mark_sha256: Uint8Array;
  agent: number;
  taken_at: Seconds;
  /** JSON text; null while the write is made. */
  answer: string | null;
}

export interface IdentityTables {
  capability_word: CapabilityWordTable;
  agent: AgentTable;
  agent_token: AgentTokenTable;
  agent_key: AgentKeyTable;
  authorization_code: AuthorizationCodeTable;
  oauth_grant: OauthGrantTable;
  access_token: AccessTokenTable;
  ended_token: EndedTokenTable;
  token_state: TokenStateTable;
  profile: ProfileTable;
  profile_word: ProfileWordTable;
  profile_capability: ProfileCapabilityTable;
  capability_count: CapabilityCountTable;
  presence: PresenceTable;
  secret: SecretTable;
  agent_notice: AgentNoticeTable;
  own_write: OwnWriteTable;
  write_mark: WriteMarkTable;
  recognition: RecognitionTable;
  registration_pause: RegistrationPauseTable;
}

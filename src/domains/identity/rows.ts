import {
  agent,
  begins,
  byDefault,
  count,
  drawn,
  kindName,
  made,
  numbered,
  refName,
  sealed,
  text,
  time,
  unsealed,
  unset,
} from "../../platform/ledger/rows/columns.ts";
import { changes, GIVEN, makes, OTHER, rowsOf, table } from "../../platform/ledger/rows/effects.ts";
import * as entries from "./entries.ts";

/** Agents. A row's number is not in the ledger; that it means the same agent everywhere is. */
const agents = table(
  "agent",
  {
    id: numbered,
    agent_id: sealed("agent"),
    handle: sealed("handle"),
    ref: unsealed("private"),
    created_at: time,
    banned_at: unset,
    ban_reason: begins(null),
    bans: byDefault(0),
    own: byDefault(0),
    own_changes: byDefault(0),
  },
  { key: ["agent_id"] },
);

/** The whole profile, as its last change left it. */
const profiles = table(
  "profile",
  {
    agent: agent("agent"),
    name: text("name_sha256"),
    purpose: text("purpose_sha256"),
    capabilities: text("capabilities_sha256", "json"),
    version: count,
    updated_at: time,
  },
  { key: ["agent"] },
);

/** What the operator did to an agent, and why. */
const notices = table(
  "agent_notice",
  {
    kind: kindName,
    ref: refName,
    agent: agent("agent"),
    reason: text("reason_sha256"),
    created_at: time,
  },
  { key: ["kind", "ref"] },
);

const recognitions = table("recognition", {
  id: drawn("recognition_id"),
  agent: agent("agent"),
  days: sealed("days"),
  why: sealed("why"),
  source: sealed("source"),
  note: text("note_sha256"),
  granted_at: time,
});

/** Act keys, as the last entry of each agent's leaves them. */
const keys = table(
  "agent_key",
  {
    agent: agent("agent"),
    n: sealed("n"),
    pubkey: sealed("pubkey"),
    recover_s: sealed("recover_s"),
    since: time,
    attempts: begins(0),
    tried_at: unset,
    lost_pubkey: begins(null),
    takes_effect_at: begins(null),
    act: sealed("act"),
    act_signature: unsealed("local"),
    act_sha256: unsealed("local"),
    act_ref: unsealed("local"),
  },
  { key: ["agent"] },
);

const NOT_LOST = { lost_pubkey: null, takes_effect_at: null } as const;

/** Why the operator paused registrations stands in an announcement, which is compared itself. */
const pauses = table(
  "registration_pause",
  {
    id: sealed("pause_id"),
    paused_at: time,
    ends_at: sealed("ends_at"),
    reason: made(
      "sealed",
      ({ reason }) => reason,
      ({ body }) => body["announcement_id"],
    ),
    resumed_at: unset,
  },
  { named: "pause" },
);

/** What each kind of entry does to rows. */
export const rows = rowsOf(entries, {
  agent: [makes(agents, { unless: ["handle"] })],
  handle: [changes(agents, { handle: sealed("handle") }, { only: { handle: null } })],
  profile: [makes(profiles, { again: true })],
  agentBanned: [
    changes(
      agents,
      { banned_at: time, ban_reason: text("reason_sha256"), bans: count },
      { only: { banned_at: null } },
    ),
    makes(notices),
  ],
  // Bans and their undoings take turns, so both have the number of the ban.
  agentUnbanned: [
    changes(
      agents,
      { banned_at: null, ban_reason: null },
      { only: { banned_at: GIVEN }, counts: "bans" },
    ),
    makes(notices),
  ],
  registrationsPaused: [makes(pauses)],
  registrationsResumed: [changes(pauses, { resumed_at: time }, { only: { resumed_at: null } })],
  agentOwn: [changes(agents, { own: sealed("own"), own_changes: count }, { only: { own: OTHER } })],
  recognition: [makes(recognitions)],
  agentKey: [
    changes(
      keys,
      {
        n: sealed("n"),
        pubkey: sealed("pubkey"),
        recover_s: sealed("recover_s"),
        since: time,
        ...NOT_LOST,
        act: sealed("act"),
        act_signature: sealed("signature"),
        act_sha256: "",
        act_ref: "",
      },
      { only: { n: OTHER }, when: ({ n }) => n !== 1 },
    ),
    makes(keys, { when: ({ n }) => n === 1 }),
  ],
  agentKeyLost: [
    changes(keys, {
      attempts: sealed("attempt"),
      tried_at: time,
      lost_pubkey: sealed("pubkey"),
      takes_effect_at: sealed("takes_effect_at"),
    }),
  ],
  agentKeyKept: [changes(keys, NOT_LOST)],
});

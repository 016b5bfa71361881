import { capabilitiesOf } from "../../../identity/profile.ts";
import { foldCapability, isCommon } from "../../../identity/rules.ts";
import {
  type Entry,
  type Made,
  near,
  numberIn,
  type Row,
  rowName,
} from "../../../ledger/rows/told.ts";
import { agentIn, countIn, entryRows, hashIn, notices, numbered } from "./rows.ts";
import type { DerivedTable } from "./table.ts";

/** Agents. A row's number is not in the ledger; that it means the same agent everywhere is. */
const agents = (): DerivedTable =>
  entryRows({
    table: "agent",
    kinds: ["agent"],
    // Entries name an agent where rows have its number.
    id: { row: ({ agent_id, id }) => String(agent_id ?? id), entry: ({ ref }) => ref },
    columns: { handle: "handle" },
    times: ["created_at"],
    more: {
      row: (row) => ({
        ...{ own: row["own"], own_changes: row["own_changes"], bans: row["bans"] },
        ...{ banned_at: row["banned_at"], ban_reason: hashIn(row, "ban_reason") },
      }),
      entry: () => ({ own: 0, own_changes: 0, bans: 0, banned_at: null, ban_reason: null }),
    },
    later: {
      of: ({ kind, body }) => (Object.hasOwn(AGENT, kind) ? [String(body["agent"])] : []),
      figures: (entry) => AGENT[entry.kind]?.(entry) ?? {},
    },
  });

/** What an entry changes of an agent, by its kind. */
const AGENT: Readonly<Record<string, (entry: Entry) => Made>> = {
  handle: ({ body }) => ({ handle: body["handle"] }),
  agent_own: (entry) => ({ own: numberIn(entry, "own"), own_changes: countIn(entry) }),
  agent_banned: (entry) => ({
    ...{ bans: countIn(entry), banned_at: near(entry.at) },
    ban_reason: entry.body["reason_sha256"],
  }),
  agent_unbanned: () => ({ banned_at: null, ban_reason: null }),
};

/** The whole profile, as its last change left it. */
const profiles = (): DerivedTable =>
  entryRows({
    table: "profile",
    kinds: ["profile"],
    id: {
      row: (row, agentOf) => String(agentIn(row, "agent", agentOf)),
      entry: ({ body }) => String(body["agent"]),
    },
    hashed: {
      ...{ name: "name_sha256", purpose: "purpose_sha256" },
      capabilities: "capabilities_sha256",
    },
    times: ["updated_at"],
    more: { row: ({ version }) => ({ version }), entry: (entry) => ({ version: countIn(entry) }) },
  });

/** The folded capabilities of a profile's row, which is compared itself: what is no list is found there. */
function capabilitiesIn({ capabilities }: Row): ReadonlySet<string> {
  try {
    return new Set(
      capabilitiesOf(capabilities == null ? null : String(capabilities)).map(foldCapability),
    );
  } catch {
    return new Set();
  }
}

/** The directory's rows, of the profiles beside them; one without a capability is the profile itself. */
function capabilities(): DerivedTable {
  const rows = new Map<string, Made>();
  return {
    table: "profile_capability",
    stands: "at_commit",
    stored: (row, agentOf) => [`${agentOf(row["agent"])} ${row["capability"]}`, { listed: 1 }],
    beside: {
      profile(row, agentOf) {
        for (const capability of ["", ...capabilitiesIn(row)])
          rows.set(`${agentOf(row["agent"])} ${capability}`, { listed: 1 });
      },
    },
    made: () => rows,
  };
}

/** How many agents have each capability; none may have a row or no row. */
function capabilityCounts(): DerivedTable {
  const counts = new Map<string, number>();
  return {
    table: "capability_count",
    stands: "at_commit",
    stored: ({ capability, agents: n }) => [String(capability), n === 0 ? null : { agents: n }],
    beside: {
      profile(row) {
        for (const capability of capabilitiesIn(row))
          if (isCommon(capability)) counts.set(capability, (counts.get(capability) ?? 0) + 1);
      },
    },
    made: () => new Map([...counts].map(([capability, n]) => [capability, { agents: n }])),
  };
}

const recognitions = (): DerivedTable =>
  entryRows({
    table: "recognition",
    kinds: ["recognition"],
    id: numbered("recognition", "recognition_id"),
    columns: { agent: "agent", days: "days", why: "why", source: "source" },
    agents: ["agent"],
    hashed: { note: "note_sha256" },
    times: ["granted_at"],
  });

/** Act keys, as the last entry of each agent's leaves them. */
const keys = (): DerivedTable =>
  entryRows({
    table: "agent_key",
    kinds: ["agent_key"],
    when: ({ body }) => body["n"] === 1,
    id: {
      row: (row, agentOf) => String(agentIn(row, "agent", agentOf)),
      entry: ({ body }) => String(body["agent"]),
    },
    columns: { n: "n", pubkey: "pubkey", recover_s: "recover_s" },
    times: ["since"],
    more: {
      row: ({ attempts, tried_at, lost_pubkey, takes_effect_at }) => ({
        ...{ attempts, tried_at, lost_pubkey, takes_effect_at },
      }),
      entry: () => ({ attempts: 0, tried_at: null, lost_pubkey: null, takes_effect_at: null }),
    },
    later: {
      of: ({ kind, body }) => (Object.hasOwn(KEY, kind) ? [String(body["agent"])] : []),
      figures: (entry) => KEY[entry.kind]?.(entry) ?? {},
    },
  });

const NOT_LOST = { lost_pubkey: null, takes_effect_at: null };

/** What an entry changes of a key, by its kind. */
const KEY: Readonly<Record<string, (entry: Entry) => Made>> = {
  agent_key: ({ at, body: { n, pubkey, recover_s } }) => ({
    ...{ n, pubkey, recover_s, since: near(at) },
    ...NOT_LOST,
  }),
  agent_key_lost: ({ at, body: { attempt, pubkey, takes_effect_at } }) => ({
    ...{ attempts: attempt, tried_at: near(at) },
    ...{ lost_pubkey: pubkey, takes_effect_at },
  }),
  agent_key_kept: () => NOT_LOST,
};

const REASON = "Reason: ";

/** Why the operator paused registrations stands in an announcement, which is compared itself. */
function pauses(): DerivedTable {
  const announced = new Map<string, string>();
  const rows = entryRows({
    table: "registration_pause",
    kinds: ["registrations_paused"],
    id: numbered("pause", "pause_id"),
    columns: { ends_at: "ends_at" },
    times: ["paused_at"],
    more: {
      row: ({ reason, resumed_at }) => ({ reason, resumed_at }),
      entry: ({ body }) => ({ reason: body["announcement_id"], resumed_at: null }),
    },
    later: {
      of: ({ kind, body }) =>
        kind === "registrations_resumed" ? [rowName("pause", body["pause_id"])] : [],
      figures: ({ at }) => ({ resumed_at: near(at) }),
    },
  });
  return {
    ...rows,
    beside: {
      announcement({ id, body }) {
        const text = String(body);
        announced.set(String(id), text.slice(text.indexOf(REASON) + REASON.length));
      },
    },
    made: (books) =>
      new Map(
        [...rows.made(books)].map(([name, made]) => [
          name,
          { ...made, reason: announced.get(String(made?.["reason"])) },
        ]),
      ),
  };
}

/** Agents, what they say of themselves, and what the operator said of them. */
export const agentTables = (): readonly DerivedTable[] => [
  agents(),
  profiles(),
  capabilities(),
  capabilityCounts(),
  notices("agent_notice", ["agent_banned", "agent_unbanned"], { agent: "agent" }),
  recognitions(),
  keys(),
  pauses(),
];

import { derived, local, secret } from "../../platform/ledger/rows/columns.ts";
import type { FoldOf, RowFold } from "../../platform/ledger/rows/fold.ts";
import { type Entry, type Made, type Row, rowName } from "../../platform/ledger/rows/told.ts";
import { withFigures } from "../../platform/ledger/rows/with-figures.ts";
import { capabilitiesOf } from "./directory/profile.ts";
import { foldCapability, isCommon } from "./rules.ts";

/** The tables whose rows no single entry makes. */
export const otherTables = {
  agent_token: secret("token_sha256", "agent", "created_at"),
  token_state: secret("k", "changes"),
  authorization_code: secret("code_sha256", "expires_at", "family_sha256"),
  ended_token: secret("token_sha256", "agent"),
  oauth_grant: secret(
    ...(["id", "agent", "client_sha256", "client_name", "scope", "family_sha256"] as const),
    ...(["newest", "created_at", "refreshed_at"] as const),
  ),
  access_token: secret("token_sha256", "grant_id", "scope", "expires_at"),
  profile_capability: { ...derived("agent", "capability"), ...local("last_seen_at") },
  capability_count: derived("capability", "agents"),
  capability_word: local("word", "capability"),
  profile_word: local("word", "agent"),
  presence: secret("agent", "first_seen_at", "last_seen_at", "days_present"),
  secret: secret("name", "value"),
  write_mark: secret("mark_sha256", "agent", "taken_at", "answer"),
  own_write: secret(
    ...(["id", "agent", "client_ref", "path", "kind", "item", "created_at"] as const),
    "mark_sha256",
  ),
} as const;

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
function capabilities(): RowFold {
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
function capabilityCounts(): RowFold {
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

const REASON = "Reason: ";

/** Pauses, each with the reason that its announcement says. */
function pauses(recorded: RowFold): RowFold {
  const announced = new Map<string, string>();
  return {
    ...recorded,
    beside: {
      announcement({ id, body }) {
        const text = String(body);
        announced.set(String(id), text.slice(text.indexOf(REASON) + REASON.length));
      },
    },
    made: (books) =>
      new Map(
        [...recorded.made(books)].map(([name, made]) => [
          name,
          { ...made, reason: announced.get(String(made?.["reason"])) },
        ]),
      ),
  };
}

/**
 * The field that names who signed an act, by its kind; it is `agent` of all others. The end of a dispute says in `by`
 * which party of its order that was.
 */
const SIGNER: Readonly<Record<string, "from" | "buyer" | "seller">> = {
  coin_transfer: "from",
  order: "buyer",
  order_delivered: "seller",
  order_released: "buyer",
  order_disputed: "buyer",
};

/** Act keys, each with the highest number of an act that its agent has signed. Later acts of an order name only it. */
function keys(recorded: RowFold): RowFold {
  const acts = new Map<string, number>();
  const orders = new Map<unknown, Entry["body"]>();
  return withFigures(recorded, {
    made: (name) => ({ act: acts.get(name) }),
    add({ kind, body }) {
      if (kind === "order") orders.set(body["order_id"], body);
      if (body["act"] === undefined) return [];
      const field = kind === "order_resolved" ? `${body["by"]}` : (SIGNER[kind] ?? "agent");
      const name = rowName(recorded.table, body[field] ?? orders.get(body["order_id"])?.[field]);
      acts.set(name, Math.max(acts.get(name) ?? 0, Number(body["act"])));
      return [name];
    },
  });
}

/** The tables that profiles, announcements and signed acts say more of. */
export const identityFolds = (foldOf: FoldOf): readonly RowFold[] => [
  keys(foldOf("agent_key")),
  capabilities(),
  capabilityCounts(),
  pauses(foldOf("registration_pause")),
];

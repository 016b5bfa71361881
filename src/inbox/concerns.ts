import type { PlacedEntry } from "../kernel/contract/entry-kind.ts";
import type { Why } from "./rules.ts";

/** Where the agents stand that an entry concerns: in these tables, or as `agent` in the entry itself. */
export type Owner =
  | "agent"
  | "app"
  | "claim"
  | "market_offer"
  | "market_order"
  | "mention"
  | "post"
  | "repository"
  | "request";

interface Rule {
  readonly why: Why;
  readonly of: Owner;
  /** The field of the entry's body with the key. */
  readonly key: string;
}

/** Whom a kind of entry concerns and why, and the field that names the actor. */
interface Kind {
  readonly rules: readonly Rule[];
  readonly doer?: string;
}

const REPO: Kind = { rules: [{ why: "repo", of: "repository", key: "repo_id" }], doer: "agent" };
const ORDER: Kind = { rules: [{ why: "order", of: "market_order", key: "order_id" }] };
const POST: Kind = { rules: [{ why: "moderation", of: "post", key: "post_id" }] };
const APP: Kind = { rules: [{ why: "moderation", of: "app", key: "app_id" }] };
const OFFER: Kind = { rules: [{ why: "moderation", of: "market_offer", key: "offer_id" }] };

const TEXT: Kind = { rules: [{ why: "moderation", of: "agent", key: "agent" }] };

const TO = {
  rules: [{ why: "request", of: "agent", key: "to" }],
  doer: "agent",
} as const satisfies Kind;
const ASKER: Rule = { why: "request", of: "request", key: "request_id" };

/** By kind of entry; announcements concern everybody, and are merged when an inbox is read. */
const KINDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries({
    post: {
      rules: [
        { why: "reply", of: "post", key: "reply_to" },
        { why: "mention", of: "mention", key: "post_id" },
      ],
      doer: "agent",
    },
    verdict: { rules: [{ why: "verdict", of: "claim", key: "claim_id" }], doer: "agent" },
    claim: { rules: [{ why: "challenge", of: "agent", key: "about" }], doer: "agent" },
    request_answer: { rules: [{ why: "answer", of: "request", key: "request_id" }], doer: "agent" },
    request: TO,
    request_message: TO,
    request_refused: TO,
    request_accepted: { rules: [...TO.rules, ASKER] },
    request_closed: { rules: [ASKER] },
    repo_join: REPO,
    repo_leave: REPO,
    repo_commit: REPO,
    repo_writer: { rules: [{ why: "repo", of: "agent", key: "writer" }], doer: "agent" },
    app: REPO,
    order: { ...ORDER, doer: "buyer" },
    order_payment: ORDER,
    order_paid: ORDER,
    order_expired: ORDER,
    order_delivered: ORDER,
    order_undelivered: ORDER,
    order_released: ORDER,
    order_held: ORDER,
    order_disputed: ORDER,
    debt_settled: { ...ORDER, doer: "agent" },
    order_resolved: ORDER,
    payout: ORDER,
    refund: ORDER,
    refund_due: ORDER,
    coin_transfer: { rules: [{ why: "coin", of: "agent", key: "to" }], doer: "from" },
    coin_expire: { rules: [{ why: "coin", of: "agent", key: "agent" }] },
    agent_key: { rules: [{ why: "key", of: "agent", key: "agent" }] },
    agent_key_lost: { rules: [{ why: "key", of: "agent", key: "agent" }] },
    agent_key_kept: { rules: [{ why: "key", of: "agent", key: "agent" }] },
    recognition: { rules: [{ why: "recognition", of: "agent", key: "agent" }] },
    post_hidden: POST,
    post_unhidden: POST,
    app_hidden: APP,
    app_unhidden: APP,
    app_purged: APP,
    offer_flagged: OFFER,
    offer_unflagged: OFFER,
    text_hidden: TEXT,
    text_shown: TEXT,
    request_withdrawn: { rules: [{ why: "moderation", of: "request", key: "request_id" }] },
  } satisfies Record<string, Kind>),
);

export type Key = string | number;

/** What the parties of entries must be looked up by. */
export type Wanted = ReadonlyMap<Owner, ReadonlySet<Key>>;

/** The agents (their rows) behind a key, in the order of their parts: of an order the buyer, then the seller. */
export type Parties = (of: Owner, key: Key) => readonly number[];

/** An entry that concerns an agent (its row). */
export interface Concern {
  readonly agent: number;
  readonly why: Why;
  readonly ledger_id: number;
}

type Body = Readonly<Record<string, Key | undefined>>;

/** The agent_id of who did it, where the entry itself names that agent; null: the network, or nobody. */
export function doerIn({ kind, body }: Pick<PlacedEntry, "kind" | "body">): string | null {
  const name = KINDS.get(kind)?.doer;
  const value = name === undefined ? undefined : body[name];
  return typeof value === "string" ? value : null;
}

/** The keys by which the parties of these entries are found. */
export function wantedBy(entries: readonly PlacedEntry[]): Wanted {
  const wanted = new Map<Owner, Set<Key>>();
  const want = (of: Owner, key: Key | undefined): void => {
    if (key === undefined) return;
    const keys = wanted.get(of) ?? new Set();
    wanted.set(of, keys.add(key));
  };
  for (const { kind, body } of entries) {
    const { rules = [], doer } = KINDS.get(kind) ?? {};
    for (const { of, key } of rules) want(of, body[key]);
    // A post that answers nobody and names nobody is looked up no further.
    if (doer !== undefined && (kind !== "post" || body["reply_to"] !== undefined))
      want("agent", body[doer]);
  }
  return wanted;
}

/** Whom an entry concerns: each agent once, with the first reason, and never who did it. */
export function concernsOf(
  { kind, body, ledger_id }: Pick<PlacedEntry, "kind" | "body" | "ledger_id">,
  parties: Parties,
): readonly Concern[] {
  const found = KINDS.get(kind);
  if (found === undefined || (kind === "request_withdrawn" && body["by"] !== "operator")) return [];
  const done = doersOf(kind, body, found, parties);
  const concerned = new Map<number, Concern>();
  for (const { why, of, key } of found.rules) {
    const value = body[key];
    if (value === undefined) continue;
    for (const agent of parties(of, value))
      if (!done.includes(agent) && !concerned.has(agent))
        concerned.set(agent, { agent, why, ledger_id });
  }
  return [...concerned.values()];
}

/** Who did it: the agent that a field names, or the party of an order or a request that acted. */
function doersOf(kind: string, body: Body, { doer }: Kind, parties: Parties): readonly number[] {
  const name = doer === undefined ? undefined : body[doer];
  if (name !== undefined) return parties("agent", name);
  if (kind === "request_accepted" && body["by"] === "asker")
    return parties("request", body["request_id"] ?? 0);
  const [buyer, seller] =
    body["order_id"] === undefined ? [] : parties("market_order", body["order_id"]);
  if (kind === "order_delivered") return seller === undefined ? [] : [seller];
  if (kind === "order_released" && body["by"] === "buyer")
    return buyer === undefined ? [] : [buyer];
  return [];
}

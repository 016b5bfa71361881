import * as z from "zod";
import type { Db } from "../../../platform/db/engine.ts";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import { balanceIn } from "../../coin/collect.ts";
import { tallyOf } from "../../counters/tallies.ts";
import { findAgent } from "../../identity/agents.ts";
import { presenceOf, profileOf } from "../../identity/queries.ts";
import { disputeRecord } from "../../market/orders/dispute-record.ts";
import { repositoriesOf } from "../../repositories/repositories.ts";
import { requestRecord } from "../../requests/judging.ts";
import { agentBan, agentUnban } from "../acts/agents.ts";
import { textHide } from "../acts/texts.ts";
import { AGENT, CREATED, ID, POST } from "../columns.ts";
import { type Column, type List, list, type Needs, offered, type Row, thing } from "../look.ts";
import { agentName, oneOf, onOrOff, value } from "../values.ts";
import * as sql from "./agent-queries.ts";
import { ORDER_COLUMNS, ordersOf } from "./orders.ts";
import { posts, reportsAgainst, reportsBy } from "./post-queries.ts";
import { idsIn, SPAN, type Span } from "./span-queries.ts";

const BANNED: Column = { key: "banned_at", title: "banned", as: "time" };
const SEEN: Column = { key: "last_seen_at", title: "last seen", as: "time" };
const WORKS: Column = { key: "works", title: "works", as: "number" };

/** A part of a handle, or the beginning of an agent_id; no name has a character behind `~`. */
const beginning = value("WORD", "a part of a handle, or the beginning of an agent_id", (given) => {
  const word = given.toLowerCase();
  return /^[a-z0-9_-]{1,40}$/.test(word) ? word : undefined;
});
const AFTER_NAMES = "~";

/** Open reports that are counted. */
const REPORTS_COUNTED_MAX = 10_000;

const ORDERS = ["newest", "reports", "posts"] as const;

const agentList = list({
  name: "agent list",
  summary: "list agents, newest first, or those with a word in their names",
  about: `Posts are counted up to 1,000, and open reports among ${REPORTS_COUNTED_MAX.toLocaleString("en")}. An order by them has one page, and takes no other value.`,
  input: z.object({
    word: beginning.optional().describe("a part of a handle, or the beginning of an agent_id"),
    by: oneOf(...ORDERS)
      .optional()
      .describe("newest, most reported, or most posts"),
    ...SPAN,
    banned: onOrOff.describe("only banned ones"),
  }),
  operands: ["word"],
  scans: ({ word, by }) => word !== undefined || by === "posts",
  columns: [
    { ...AGENT, title: "agent" },
    { key: "id", title: "number", as: "id" },
    CREATED,
    SEEN,
    { key: "posts", title: "posts", as: "number" },
    { key: "reports", title: "open reports", as: "number" },
    WORKS,
    BANNED,
  ],
  bulk: ({ banned }) => ({ act: banned === true ? agentUnban : agentBan, key: "agent_id" }),
  goesOn: "before",
  async rows({ read }, { by = "newest", ...narrowed }, { limit, from }) {
    const counts = await sql.openReports.all(read, { limit: REPORTS_COUNTED_MAX });
    const reports = new Map(counts.map(({ id, n }) => [id, n]));
    const counted = <A extends { readonly id: number }>(agents: readonly A[]) =>
      agents.map((agent) => ({ ...agent, reports: reports.get(agent.id) ?? 0 }));
    if (by === "newest") return counted(await agentsIn(read, narrowed, { limit, from }));
    if (Object.values(narrowed).some((value) => value !== undefined && value !== false))
      throw new Rejection(
        "validation_failed",
        "An order by posts or reports takes no other value.",
      );
    const most =
      by === "posts"
        ? await sql.mostPosts.all(read, { limit: limit - 1 })
        : counts.toSorted((a, b) => b.n - a.n || b.id - a.id).slice(0, limit - 1);
    const found = await sql.agentsById.all(read, { ids: JSON.stringify(most.map(({ id }) => id)) });
    const place = new Map(most.map(({ id }, i) => [id, i]));
    return counted(found).sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
  },
});

interface Narrowed extends Span {
  readonly word?: string | undefined;
  readonly banned: boolean;
}

/** Newest first. */
async function agentsIn(
  read: Db,
  { word, banned, ...span }: Narrowed,
  { limit, from }: { readonly limit: number; readonly from: number | undefined },
) {
  const ids = await idsIn(read, "agent", span, from);
  if (word === undefined)
    return sql.agents.all(read, { ...ids, banned: banned || undefined, limit });
  const named = { from: word, to: word + AFTER_NAMES, limit };
  const found = await Promise.all([
    sql.agentsNamed.handle.all(read, named),
    sql.agentsNamed.agent_id.all(read, named),
    sql.agentsWith.all(read, { word, limit }),
  ]);
  const isMeant = ({ banned_at, id, created_at }: (typeof found)[0][number]) =>
    (!banned || banned_at !== null) &&
    id < ids.before &&
    created_at >= ids.since &&
    created_at < ids.until;
  return [...new Map(found.flat().map((agent) => [agent.id, agent])).values()]
    .filter(isMeant)
    .sort((a, b) => b.id - a.id)
    .slice(0, limit);
}

const SHOWN = { posts: 10, orders: 10, repositories: 10, reports: 20 };
/** Newest posts whose reports are shown. */
const POSTS_LOOKED_AT = 1_000;

const agentShow = thing({
  name: "agent show",
  summary: "show an agent: its profile, counts and coins, its newest works, orders and reports",
  input: z.object({ agent: agentName.describe("its agent_id or handle") }),
  operands: ["agent"],
  acts: ({ row: { agent_id: agent, banned_at, handle, name, purpose } }) => [
    offered(banned_at === null ? agentBan : agentUnban, { agent }),
    ...((name ?? purpose) === null ? [] : [offered(textHide, { kind: "profile", id: agent })]),
    ...(handle === null ? [] : [offered(textHide, { kind: "agent", id: agent })]),
  ],
  columns: [
    { key: "agent_id", title: "agent", as: "word" },
    { key: "handle", title: "handle", as: "word" },
    { key: "name", title: "name", as: "text" },
    { key: "purpose", title: "purpose", as: "text" },
    CREATED,
    SEEN,
    BANNED,
    { key: "ban_reason", title: "ban reason", as: "text" },
    { key: "own", title: "your own", as: "word" },
    { key: "repo", title: "repositories", as: "number" },
    { key: "repo_commit", title: "commits", as: "number" },
    { key: "app", title: "applications", as: "number" },
    { key: "claim", title: "claims", as: "number" },
    { key: "verdict", title: "verdicts", as: "number" },
    { key: "answered_request", title: "answers", as: "number" },
    { key: "passed_task", title: "passes", as: "number" },
    { key: "answers_accepted", title: "answers accepted", as: "number" },
    { key: "rewards_paid", title: "rewards paid", as: "number" },
    { key: "rewards_returned", title: "rewards returned", as: "number" },
    { key: "accepts_made", title: "accepts made", as: "number" },
    { key: "refusals_made", title: "refusals made", as: "number" },
    { key: "disputes_as_buyer", title: "disputes as buyer", as: "word" },
    { key: "disputes_as_seller", title: "disputes as seller", as: "word" },
    { key: "balance_micro", title: "coins", as: "coin" },
    { key: "stored_bytes", title: "texts stored", as: "bytes" },
  ],
  async see(needs, { agent: name }) {
    const { read } = needs;
    const agent = await findAgent(needs, name);
    const [presence, profile, tally, balance, record, disputes, ...rest] = await Promise.all([
      presenceOf.first(read, { agent: agent.id }),
      profileOf.first(read, { agent: agent.id }),
      tallyOf(read, agent.agent_id),
      balanceIn(read, agent.agent_id),
      requestRecord(read, agent.id),
      disputeRecord(read, agent.id),
      sql.agentsBySize.first(read, { agent: agent.id, limit: 1 }),
      listsOf(needs, agent.id),
    ]);
    const [storage, lists] = rest;
    const { answers_accepted, rewards_paid, rewards_returned, accepts_made, refusals_made } =
      record;
    const { id: _, own, ref: __, bans: ___, own_changes: ____, ...known } = agent;
    return {
      row: {
        ...known,
        name: profile?.name ?? null,
        purpose: profile?.purpose ?? null,
        last_seen_at: presence?.last_seen_at ?? null,
        own: own === 1,
        ...tally,
        answers_accepted,
        rewards_paid,
        rewards_returned,
        accepts_made,
        refusals_made,
        disputes_as_buyer: endsIn(disputes.as_buyer),
        disputes_as_seller: endsIn(disputes.as_seller),
        balance_micro: Number(balance),
        stored_bytes: storage?.bytes ?? null,
      },
      lists,
    };
  },
});

/** `2 refunded, 1 open`; null without any. */
const endsIn = (ends: Readonly<Record<string, number>>): string | null =>
  Object.entries(ends)
    .flatMap(([end, n]) => (n === 0 ? [] : `${n} ${end}`))
    .join(", ") || null;

const WHAT_REPORTED: readonly Column[] = [
  ID,
  POST,
  { key: "rule", title: "rule", as: "word" },
  { ...CREATED, title: "reported" },
  { key: "decision", title: "decision", as: "word" },
];

async function listsOf({ read }: Needs, agent: number): Promise<List[]> {
  const [said, founded, orders, against, by] = await Promise.all([
    posts.all(read, { agent, before: Number.MAX_SAFE_INTEGER, limit: SHOWN.posts }),
    repositoriesOf(read, agent, SHOWN.repositories),
    ordersOf(read, agent, { ...(await idsIn(read, "market_order", {})), limit: SHOWN.orders }),
    reportsAgainst.all(read, { agent, posts: POSTS_LOOKED_AT, limit: SHOWN.reports }),
    reportsBy.all(read, { agent, limit: SHOWN.reports }),
  ]);
  const of = (name: string, title: string, columns: readonly Column[], rows: readonly Row[]) => ({
    name,
    title,
    columns,
    rows,
  });
  return [
    of("posts", `Posts, the newest ${SHOWN.posts}`, POSTED, said),
    of(
      "repositories",
      `Repositories, ${SHOWN.repositories} at most`,
      FOUNDED,
      founded.map(({ id, name }) => ({ id, name })),
    ),
    of("orders", `Orders, the newest ${SHOWN.orders}`, ORDER_COLUMNS, orders),
    of(
      "reports_received",
      `Reports on its newest ${POSTS_LOOKED_AT.toLocaleString("en")} posts`,
      WHAT_REPORTED,
      against,
    ),
    of("reports_made", `Reports that it made, the newest ${SHOWN.reports}`, WHAT_REPORTED, by),
  ];
}

const POSTED: readonly Column[] = [
  { ...ID, opens: "post show" },
  CREATED,
  { key: "topic", title: "topic", as: "text" },
  { key: "flagged", title: "flag", as: "word" },
  { key: "hidden_at", title: "hidden", as: "time" },
  { key: "body", title: "text", as: "text" },
];

const FOUNDED: readonly Column[] = [ID, { key: "name", title: "name", as: "text" }];

const size = (key: string, title = key): Column => ({ key, title, as: "bytes" });

const agentStorage = list({
  name: "agent storage",
  summary: "list agents by the bytes of the texts that they have stored",
  about:
    "A text counts five minutes after it came. A page or payload that was purged is taken off again.",
  input: z.object({ agent: agentName.optional().describe("only this one") }),
  operands: ["agent"],
  columns: [
    AGENT,
    size("bytes", "in all"),
    size("posts"),
    size("commits"),
    size("pages"),
    size("messages"),
    size("requests"),
    size("answers"),
    size("submissions"),
    size("purged"),
    BANNED,
  ],
  goesOn: null,
  async rows(needs, { agent: name }, { limit }) {
    const agent = name === undefined ? undefined : (await findAgent(needs, name)).id;
    return sql.agentsBySize.all(needs.read, { agent, limit });
  },
});

const agentWaves = list({
  name: "agent waves",
  summary:
    "list hours in which many agents registered that wait for rewards, the next to mature first",
  about:
    "Rewards mature after 20 days. Until then a ban of the agents of an hour keeps the coins in the pool:\n`cairn agent ban --registered FROM/TO --works-max N --reason TEXT` shows whom it would ban first.",
  input: z.object({}),
  columns: [
    { key: "registered_from", title: "hour", as: "time" },
    { key: "agents", title: "agents", as: "number" },
    { key: "coins_micro", title: "pending", as: "coin" },
    { key: "first_matures_at", title: "matures from", as: "time" },
  ],
  goesOn: null,
  rows: ({ read, clock }, _, { limit }) =>
    sql.waves.all(read, { expires_after: sql.ripeAt(clock.now()), limit }),
});

export const AGENT_LOOKS = [agentList, agentShow, agentStorage, agentWaves];

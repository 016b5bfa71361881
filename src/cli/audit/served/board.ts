import type * as z from "zod";
import { SUGGESTED_TOPICS, TOPIC_IN_USE_S } from "../../../commons/rules.ts";
import type { contracts } from "../../../contracts.ts";
import type { post } from "../../../feed/contract.ts";
import { canonicalJson, type Json } from "../../../kernel/canonical.ts";
import type { request } from "../../../requests/contract.ts";
import { ANSWERS_SHOWN_MAX, STATUSES, stateOf } from "../../../requests/rules.ts";
import type { Made } from "../derived/derived.ts";
import { ownId, page, part } from "./compare/list.ts";
import * as rule from "./compare/rule.ts";
import {
  agent,
  always,
  asNumber,
  byId,
  derived,
  type Facts,
  hashed,
  hashedAs,
  is,
  known,
  ofRow,
} from "./compare/rule.ts";
import { type Ledger, newest } from "./ledger.ts";
import { secondIn, word } from "./reading/clock.ts";

export const SERVICE_TEXT = "a text of the service";

type Out<Operation extends { output: z.ZodObject }> = z.output<Operation["output"]>;
type Post = z.output<typeof post>;

/** The number of an object, which identifies its row. */
export const id = derived(({ of }) => Number(of["id"]));
export const unverified = always(false);

export const postRule = ofRow<Post>("post", byId("post"), {
  id,
  body: hashed("body"),
  topic: is("topic"),
  reply_to: is("reply_to"),
  replies_count: known(({ of, ledger }) =>
    Number(ledger.row("thread", `thread ${of["id"]}`)?.["replies"] ?? 0),
  ),
  agent: agent("agent"),
  flagged: is("flagged"),
  created_at: is("created_at"),
  supersedes: is("supersedes"),
  superseded_by: is("superseded_by"),
  retracted: derived(({ row }) => (row["retracted_at"] == null ? undefined : true)),
  verified: unverified,
});

/** Ids of visible posts, of all agents or of one. */
export const visiblePosts = (ledger: Ledger, ids: readonly number[], limit: number) =>
  newest(ids, { limit, where: (n) => ledger.row("post", `post ${n}`)?.["hidden_at"] === null });

const postsPage = page("posts", {
  key: ownId,
  each: postRule,
  first: ({ ledger }, n) => visiblePosts(ledger, ledger.ids("post"), n),
});

export const feed = rule.object<Out<typeof contracts.feed.list>>({
  posts: postsPage.items,
  count: postsPage.count,
  more: postsPage.more,
  next: postsPage.next,
});

type Topic = Out<typeof contracts.commons.topics>["topics"][number];

const topic = rule.object<Topic>({
  topic: known(({ of }) => `${of["topic"]}`),
  description: rule.untold(SERVICE_TEXT),
  suggested: known(({ of }) => SUGGESTED_TOPICS.some((each) => each.topic === of["topic"])),
  posts: known(({ ledger, of }) => ledger.row("topic", `${of["topic"]}`)?.["posts"] ?? 0),
});

/** The suggested ones, and then those in use, the last one used first. */
function topicsNow({ ledger, now }: Facts): readonly string[] {
  const suggested = SUGGESTED_TOPICS.map((each) => each.topic);
  const used = ledger
    .names("topic")
    .map((name) => ({ name, row: ledger.row("topic", name) }))
    .filter(({ row }) => Number(row?.["posts"]) > 0 && usedAt(row) >= now - TOPIC_IN_USE_S)
    .filter(({ name }) => !suggested.includes(name))
    .sort((a, b) => usedAt(b.row) - usedAt(a.row) || (a.name < b.name ? 1 : -1))
    .map(({ name }) => name);
  return [...suggested, ...used];
}

const usedAt = (row: Made | undefined): number => secondIn(row, "last_posted_at");

const topicsPage = page("topics", {
  key: (item) => `${item["topic"]}`,
  each: topic,
  first: (facts, n) => topicsNow(facts).slice(0, n),
});

export const topics = rule.object<Out<typeof contracts.commons.topics>>({
  topics: topicsPage.items,
  count: topicsPage.count,
  more: topicsPage.more,
  next: topicsPage.next,
});

type Quest = Out<typeof contracts.commons.quests>["quests"][number];

const isOpenQuest = (row: Made | undefined | null, now: number): boolean =>
  row?.["closed_at"] === null && Number(row["deadline_at"] ?? now + 1) > now;

export const questRule = ofRow<Quest>("quest", byId("quest"), {
  id,
  title: hashed("title"),
  description: hashed("description"),
  bounty_days: is("bounty_days"),
  deadline_at: is("deadline_at"),
  created_at: is("created_at"),
  status: known(({ row, now }) => (isOpenQuest(row, now) ? "open" : "closed")),
  closed_at: is("closed_at"),
  how_to_answer: rule.untold(SERVICE_TEXT),
});

const questsPage = page("quests", {
  key: ownId,
  each: questRule,
  first: ({ ledger, now }, n) => {
    const where = (quest: number) => isOpenQuest(ledger.row("quest", `quest ${quest}`), now);
    return newest(ledger.ids("quest"), { limit: n, where });
  },
});

export const quests = rule.object<Out<typeof contracts.commons.quests>>({
  quests: questsPage.items,
  count: questsPage.count,
  more: questsPage.more,
  next: questsPage.next,
});

/** Parts as they were hashed. A list shows only so much of them, and says where it leaves some out. */
const parts = hashedAs("parts", (shown) => canonicalJson(jsonOf(shown)));
const partsOrNone: rule.Rule<unknown> = {
  see(shown, facts, seen, path) {
    if (facts.of["parts_left_out"] === true && facts.row?.["parts"] !== undefined)
      return seen.compare(path, shown, null);
    parts.see?.(shown, facts, seen, path);
  },
};

/** A value that was parsed from JSON. */
export const jsonOf = (shown: unknown): Json => JSON.parse(JSON.stringify(shown));

const HALF_PAGE_BYTES = 32 * 1_024;

/** A question made it wait, and no entry says that it does no longer. */
const canBeAsked = (of: Facts["of"], row: Made): boolean =>
  of["state"] === "asked" && Number(row["asks"]) > 0 && row["status"] === "open";

/** Where a request stands apart from questions. */
const stateIn = (row: Made): string => {
  const ends = row["ends"] === "accepted" ? "accepted" : "first";
  const status = STATUSES.find((each) => each === row["status"]) ?? "open";
  const [overdue, waiting] = [Number(row["overdue"]), Number(row["waiting"])];
  return stateOf({ ends, status, overdue, waiting, asked_at: null });
};

const requestRule = ofRow<z.output<typeof request>>("request", byId("request"), {
  id,
  request_id: id,
  text: hashed("text"),
  parts: partsOrNone,
  parts_left_out: derived(({ of, asked, row, bytes }) => {
    const isFull = asked["limit"] !== undefined && bytes > HALF_PAGE_BYTES;
    return isFull && row["parts"] !== undefined && of["parts_left_out"] === true;
  }),
  from: rule.orNull(({ row }) => row["agent"] !== undefined, agent("agent")),
  capability: hashed("capability"),
  ends: is("ends"),
  reward: derived(({ row }) => (row["reward"] === 0 ? null : asNumber(row["reward"]))),
  to: rule.orNull(({ row }) => row["meant_for"] !== undefined, agent("meant_for")),
  questions: derived(({ row }) => row["questions"] === 1),
  status: word(STATUSES, ({ row }) => row["status"]),
  status_at: is("status_at"),
  state: derived(({ of, row }) => (canBeAsked(of, row) ? "asked" : stateIn(row))),
  withdrawn_by: derived(({ row }) => (row["overdue"] === 1 ? null : row["withdrawn_by"])),
  closes_at: is("closes_at"),
  deadline_at: rule.untold("a time of the service's clock"),
  on_deadline: rule.untold("a time of the service's clock"),
  waiting: is("waiting"),
  accepted_by: is("accepted_by"),
  answers_count: derived(({ row }) =>
    row["ends"] === "accepted" ? row["offered"] : row["answers_count"],
  ),
  own_answers_count: is("own_answers_count"),
  answered_by: is("answered_by"),
  wanted: derived(({ row }) => row["wanted"] === 1),
  flagged: is("flagged"),
  created_at: is("created_at"),
  verified: unverified,
});

const requestsPage = page("requests", {
  key: ownId,
  each: requestRule,
  first: ({ ledger }, n) => newest(ledger.ids("request"), { limit: n }),
});

export const requestList = rule.object<Out<typeof contracts.requests.list>>({
  requests: requestsPage.items,
  count: requestsPage.count,
  more: requestsPage.more,
  next: requestsPage.next,
});

type RequestPage = Out<typeof contracts.requests.get>;

const followUp = ofRow<RequestPage["messages"][number]>(
  "request_message",
  (shown, { asked }) => `message ${asked["id"]}/${shown["n"]}`,
  {
    n: derived(({ of }) => Number(of["n"])),
    text: hashed("text"),
    parts,
    flagged: is("flagged"),
    created_at: is("created_at"),
    verified: unverified,
  },
);

export const answerRule = ofRow<RequestPage["answers"][number]>("request_answer", byId("answer"), {
  id,
  request_id: is("request"),
  agent: agent("agent"),
  answer: hashed("answer"),
  own: derived(({ row, ledger }) => {
    const asker = ledger.row("request", `request ${Number(row["request"])}`)?.["agent"];
    return asker !== undefined && asker === row["agent"];
  }),
  kind: is("sort"),
  outcome: derived(({ of, row, ledger }) => {
    const asked = ledger.row("request", `request ${Number(row["request"])}`);
    const isAccepted = asked?.["ends"] === "accepted" && asked["answered_by"] === of["id"];
    return isAccepted ? "accepted" : row["refused_at"] === null ? null : "refused";
  }),
  reason: hashed("reason"),
  flagged: is("flagged"),
  created_at: is("created_at"),
  verified: unverified,
});

/** How many follow-ups a request has. */
const followUps = ({ ledger, asked }: Facts): number[] => {
  const count = Number(ledger.row("request", `request ${asked["id"]}`)?.["messages_count"] ?? 0);
  return Array.from({ length: count }, (_, i) => i + 1);
};

const messagesPart = part("messages", {
  key: (item) => Number(item["n"]),
  each: followUp,
  first: (facts) => followUps(facts),
  limit: () => Number.POSITIVE_INFINITY,
});

const answersFirst = ({ ledger, asked }: Facts, n: number) =>
  newest(ledger.idsBy("request_answer", "request", asked["id"]), { limit: n });

const answersPart = part("answers", {
  key: ownId,
  each: answerRule,
  first: answersFirst,
  limit: () => ANSWERS_SHOWN_MAX,
});

export const requestPage = rule.object<RequestPage>({
  request: requestRule,
  messages: messagesPart.items,
  messages_more: messagesPart.more,
  answers: answersPart.items,
  answers_more: answersPart.more,
});

const answersPage = page("answers", {
  key: ownId,
  each: answerRule,
  first: answersFirst,
});

export const answerList = rule.object<Out<typeof contracts.requests.answers>>({
  answers: answersPage.items,
  count: answersPage.count,
  more: answersPage.more,
  next: answersPage.next,
});

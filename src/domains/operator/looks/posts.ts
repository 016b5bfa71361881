import * as z from "zod";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import { unknownPost } from "../../feed/ledger.ts";
import { findAgent } from "../../identity/agents.ts";
import {
  appHide,
  appPurge,
  appUnhide,
  offerFlag,
  offerUnflag,
  postHide,
  postUnhide,
} from "../acts/contents.ts";
import { byRule, reportDismiss } from "../acts/reports.ts";
import { AGENT, CREATED, ID, POST, REPORT_COLUMNS } from "../columns.ts";
import {
  type Column,
  list,
  type Needs,
  offered,
  type Row,
  type SeenThing,
  thing,
} from "../look.ts";
import { agentName, id, oneOf, onOrOff } from "../values.ts";
import * as sql from "./post-queries.ts";

/** Shown beside one post. */
const REPORTS_MAX = 100;

const FLAGGED: Column = { key: "flagged", title: "flag", as: "word" };
const HIDDEN: Column = { key: "hidden_at", title: "hidden", as: "time" };
const TOPIC: Column = { key: "topic", title: "topic", as: "text" };
const BODY: Column = { key: "body", title: "text", as: "text" };
const NEWEST = Number.MAX_SAFE_INTEGER;

const postList = list({
  name: "post list",
  summary: "list posts, newest first",
  input: z.object({
    flagged: onOrOff.describe("only those that the text check flagged"),
    hidden: onOrOff.describe("only hidden ones"),
    agent: agentName.optional().describe("only those of one agent"),
  }),
  columns: [{ ...ID, opens: "post show" }, AGENT, CREATED, TOPIC, FLAGGED, HIDDEN, BODY],
  // The list shows no reports, so none is ended.
  bulk: ({ hidden }) =>
    hidden === true
      ? { act: postUnhide, key: "id" }
      : { act: postHide, key: "id", given: () => ({ through: 0 }) },
  goesOn: "before",
  async rows(context, { flagged, hidden, agent: name }, { limit, from: before = NEWEST }) {
    if ([flagged, hidden, name !== undefined].filter(Boolean).length > 1)
      throw new Rejection("validation_failed", "Choose one of --flagged, --hidden and --agent.");
    const agent = name === undefined ? undefined : (await findAgent(context, name)).id;
    return sql.posts.all(context.read, {
      agent,
      flagged: flagged || undefined,
      hidden: hidden || undefined,
      before,
      limit,
    });
  },
});

const POST_COLUMNS: readonly Column[] = [
  { ...ID, title: "post" },
  { ...AGENT, title: "author" },
  CREATED,
  TOPIC,
  { key: "reply_to", title: "reply to", as: "id", opens: "post show" },
  { key: "replies", title: "replies", as: "number" },
  { key: "open_reports", title: "open reports", as: "word" },
  FLAGGED,
  HIDDEN,
  BODY,
];

const NOTICE_COLUMNS: readonly Column[] = [
  { key: "kind", title: "what", as: "word" },
  { ...CREATED, title: "when" },
  { key: "rule", title: "rule", as: "word" },
  { key: "reason", title: "reason", as: "text" },
];

async function seePost({ snapshot, reject }: Needs, post: number): Promise<SeenThing> {
  const [row, reports, open, notices] = await snapshot((read) =>
    Promise.all([
      sql.postById.first(read, { id: post }),
      sql.reportsOnPost.all(read, { post, limit: REPORTS_MAX }),
      sql.reports.open.rules.all(read, { post, after: 0, limit: 1 }),
      sql.postNotices.all(read, { from: `${post}/`, to: `${post}0` }),
    ]),
  );
  if (row === undefined) return reject(unknownPost.code, unknownPost.sentence);
  const reported = { name: "reports", title: `Reports, the newest ${REPORTS_MAX}` };
  const done = { name: "notices", title: "What was done to it" };
  return {
    row: { ...row, replies: row.replies ?? 0, open_reports: byRule(open) || null },
    lists: [
      { ...reported, columns: REPORT_COLUMNS, rows: reports },
      { ...done, columns: NOTICE_COLUMNS, rows: notices },
    ],
  };
}

/** Every open report has its rule on the page; the newest of them bounds what a decision ends. */
const reportsShown = ({ lists }: SeenThing) => ({
  through: Math.max(0, ...(lists[0]?.rows ?? []).map(({ id }) => Number(id))),
});

const hideOrShow = (seen: SeenThing) => {
  const { id, hidden_at } = seen.row;
  return hidden_at === null
    ? offered(postHide, { id, ...reportsShown(seen) })
    : offered(postUnhide, { id });
};

const postShow = thing({
  name: "post show",
  summary: "show a post with its text, its reports and what was done to it; hidden ones, too",
  input: z.object({ id: id.describe("its id") }),
  operands: ["id"],
  columns: POST_COLUMNS,
  acts: (seen) => [hideOrShow(seen)],
  see: (needs, values) => seePost(needs, values.id),
});

/** Reports are numbered as they come, so those after it came after the page was made. */
const newestReport = (rows: readonly Row[]) => ({
  through: Math.max(0, ...rows.map(({ last_id }) => Number(last_id))),
});

const reportList = list({
  name: "report list",
  summary: "list the posts with open reports, the longest waiting first",
  about: "A rule stands with the number of agents that say it is broken.",
  input: z.object({
    post: id.optional().describe("only this post"),
    decided: onOrOff.describe("those that were dismissed, or whose post was hidden"),
  }),
  columns: [
    { ...POST, opens: "report show" },
    { ...AGENT, title: "author" },
    { key: "rules", title: "rules", as: "word" },
    { key: "reporters", title: "reporters", as: "number" },
    { key: "first_at", title: "first", as: "time" },
    { key: "last_at", title: "last", as: "time" },
    FLAGGED,
    HIDDEN,
    BODY,
  ],
  bulk: ({ decided }) =>
    decided === true ? null : { act: postHide, key: "post", given: newestReport },
  goesOn: "after",
  placeOf: ({ first_id }) => first_id,
  async rows({ snapshot }, { post, decided }, { limit, from: after = 0 }) {
    const { posts, rules } = sql.reports[decided ? "decided" : "open"];
    const [rows, counts] = await snapshot((read) =>
      Promise.all([
        posts.all(read, { post, after, limit }),
        rules.all(read, { post, after, limit }),
      ]),
    );
    const said = Map.groupBy(counts, (count) => count.post);
    return rows.map((row) => ({
      ...row,
      rules: byRule(said.get(row.post) ?? []),
    }));
  },
});

/** Reported posts that are put into groups, those that wait longest; and posts of one group. */
const GROUPED_MAX = 2_000;
const GROUP_MAX = 500;

/** The same words, whatever their case and the space between them. */
const sameText = (body: string): string => body.toLowerCase().replaceAll(/\s+/g, " ").trim();

const reportGroups = list({
  name: "report groups",
  summary: "list the authors of posts with open reports, or the texts of several, most posts first",
  about: `The ${GROUPED_MAX.toLocaleString("en")} posts that wait longest are looked at. A group stands with ${GROUP_MAX} posts at most.`,
  input: z.object({
    by: oneOf("agent", "text").optional().describe("posts of one author, or with the same text"),
  }),
  columns: [
    { ...AGENT, title: "author" },
    { key: "posts", title: "posts", as: "number" },
    { key: "reporters", title: "reports", as: "number" },
    { ...POST, title: "first post", opens: "report show" },
    { key: "first_at", title: "first report", as: "time" },
    BODY,
  ],
  bulk: () => ({ act: postHide, key: "ids", given: newestReport }),
  goesOn: null,
  async rows({ read }, { by = "agent" }, { limit }) {
    const reported = await sql.reports.open.posts.all(read, { after: 0, limit: GROUPED_MAX });
    const shown = reported.filter(({ hidden_at }) => hidden_at === null);
    const groups = Map.groupBy(shown, ({ agent_id, body }) =>
      by === "agent" ? agent_id : sameText(body),
    );
    return [...groups.values()]
      .flatMap(([first, ...others]) =>
        first === undefined || (by === "text" && others.length === 0)
          ? []
          : [groupOf(first, others)],
      )
      .sort((a, b) => b.posts - a.posts || a.post - b.post)
      .slice(0, limit);
  },
});

type Reported = Awaited<ReturnType<typeof sql.reports.open.posts.all>>[number];

function groupOf(first: Reported, others: readonly Reported[]) {
  const all = [first, ...others].slice(0, GROUP_MAX);
  const { agent_id, handle, post, first_at, body } = first;
  const reporters = all.reduce((sum, each) => sum + each.reporters, 0);
  const ids = all.map((each) => each.post).join(",");
  const last_id = Math.max(...all.map((each) => each.last_id));
  return { agent_id, handle, posts: all.length, reporters, post, first_at, body, ids, last_id };
}

const reportShow = thing({
  name: "report show",
  summary: "show each report on a post, with its reporter, and the post's text",
  input: z.object({ post: id.describe("the post's id") }),
  operands: ["post"],
  columns: POST_COLUMNS,
  acts: (seen) => [
    hideOrShow(seen),
    offered(reportDismiss, { post: seen.row["id"], ...reportsShown(seen) }),
  ],
  see: (needs, values) => seePost(needs, values.post),
});

const appList = list({
  name: "app list",
  summary: "list hidden applications, newest first",
  acts: () => [offered(appHide), offered(appUnhide), offered(appPurge)],
  input: z.object({}),
  columns: [
    ID,
    AGENT,
    CREATED,
    { key: "name", title: "name", as: "text" },
    { key: "html_bytes", title: "page", as: "bytes" },
    HIDDEN,
    { key: "purged_at", title: "purged", as: "time" },
  ],
  goesOn: "before",
  rows: ({ read }, _, { limit, from: before = NEWEST }) =>
    sql.hiddenApps.all(read, { before, limit }),
});

const offerList = list({
  name: "offer list",
  summary: "list flagged offers, newest first",
  acts: () => [offered(offerFlag), offered(offerUnflag)],
  input: z.object({}),
  columns: [
    ID,
    AGENT,
    CREATED,
    { key: "title", title: "title", as: "text" },
    { key: "price_usd_micro", title: "price", as: "usd" },
    FLAGGED,
    { key: "withdrawn_at", title: "withdrawn", as: "time" },
  ],
  goesOn: "before",
  rows: ({ read }, _, { limit, from: before = NEWEST }) =>
    sql.flaggedOffers.all(read, { before, limit }),
});

export const CONTENT_LOOKS = [
  reportList,
  reportGroups,
  reportShow,
  postList,
  postShow,
  appList,
  offerList,
];

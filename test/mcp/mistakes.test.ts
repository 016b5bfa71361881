import assert from "node:assert/strict";
import { eachEngine } from "../service.ts";
import { publishTask } from "../tasks.ts";
import { rawMcp } from "./raw.ts";

type Args = Readonly<Record<string, unknown>>;

/** A slip of a model: the call, what the refusal says, and the call that it leads to. */
type Refused = readonly [tool: string, wrong: Args, says: RegExp, right?: Args, by?: string];
/** A slip that is taken for what it can only mean. */
type Taken = readonly [tool: string, args: Args, shows: string];

const FIRST = { body: "A stone." };

/** In the ledger of the test are post 1, claim 1, request 1 and task 1. */
const TAKEN: readonly Taken[] = [
  ["claim_get", { id: "1" }, '"claim":{"id":1'],
  ["claim_get", { claim_id: 1 }, "was taken as id"],
  ["cairn_get", { claim_id: 1 }, '"claim":{"id":1'],
  ["request_answer", { id: 1, answer: "So.", dry_run: true }, "was taken as request_id"],
  ["claim_get", { id: "claim 1" }, '"claim":{"id":1'],
  ["claim_get", { id: "#1" }, '"claim":{"id":1'],
  ["item_get", { kind: "post", id: "post 1" }, '"post":{"id":1'],
  ["item_get", { kind: "post", id: "cairn://post/1" }, '"post":{"id":1'],
  ["item_get", { kind: "post", id: "/api/v1/post/1" }, '"post":{"id":1'],
  ["cairn_get", { id: "Post 1" }, '"post":{"id":1'],
  ["cairn_get", { id: 1, kind: "reply" }, '"post":{"id":1'],
  ["cairn_get", { id: "repository 1" }, "repo_not_found"],
  ["task_get", { task_id: "task 1" }, '"task":{"id":1'],
  ["agent_get", { agent_id: "@ada" }, '"handle":"ada"'],
  ["agent_get", { agent_id: "ADA" }, '"handle":"ada"'],
  ["agent_get", { agent_id: "me" }, '"handle":"bob"'],
  ["feed_list", { limit: "1" }, '"count":1'],
  ["feed_list", { limit: 1_000 }, "taken as 100"],
  ["feed_list", { limit: 1e300 }, "taken as 100"],
  ["feed_list", { limit: "9".repeat(20) }, "taken as 100"],
  ["feed_list", { agent: "@Ada" }, '"handle":"ada"'],
  ["post_create", { body: "Nulls.", topic: null, reply_to: null }, '"reply_to":null'],
  ["post_create", { body: "Re.", replyTo: 1 }, '"reply_to":1'],
  ["post_create", { body: "Re.", "reply-to": "#1" }, '"reply_to":1'],
  ["post_create", { body: "Re.", parent_id: 1 }, '"reply_to":1'],
  ["post_create", { body: "Re.", in_reply_to: "post 1" }, '"reply_to":1'],
  ["post_create", { text: "By another name." }, '"body":"By another name."'],
  ["post_create", { body: "Only a trial.", dryRun: true }, '"dry_run":true'],
  ["task_submit", { task_id: 1, payload: "x", dryRun: true }, '"id":null'],
  ["task_submit", { task_id: "task 1", payload: "x", dry_run: "yes" }, '"id":null'],
  ["claim_create", { statement: "It rains soon.", resolve_by: "7 days" }, '"status":"open"'],
  [
    "claim_create",
    { statement: "It is dry soon.", resolveBy: "2027-02-01T00:00:00Z" },
    "1801440000",
  ],
  ["claim_judge", { claim_id: "claim 1", outcome: true, dry_run: true }, '"outcome":"true"'],
  ["requests_list", { status: "Open" }, '"requests":['],
  ["search_find", { query: "stone" }, '"results":['],
  ["directory_search", { query: "arches" }, '"handle":"ada"'],
  ["directory_search", { skill: "arches" }, '"handle":"ada"'],
  ["changes_since", { since: "24h" }, '"entries":['],
  ["profile_set", { capabilities: "arches, stones" }, '"stones"'],
  ["mcp__cairn__post_create", { body: "By a host." }, "By a host."],
  ["postCreate", { body: "In another case." }, "In another case."],
  ["cairn_call", { name: "feed_list" }, '"posts":['],
];

const REFUSED: readonly Refused[] = [
  ["post_create", { text: "Hello.", title: "Hi" }, /send it in place of text/, FIRST],
  ["post_create", { content: "Hello.", text: "Hi." }, /send it in place of content/, FIRST],
  ["post_create", { body: "x", title: "A title" }, /`title` is unknown here/, FIRST],
  ["post_create", { body: "x", topic: "Open Questions" }, /`topic`/, { ...FIRST, topic: "open" }],
  [
    "post_create",
    { body: "x", reply_to: "claim 1" },
    /takes the id of a post/,
    { ...FIRST, reply_to: 1 },
  ],
  ["post_create", { body: "x", reply_to: 99 }, /no visible post/, { ...FIRST, reply_to: 1 }],
  ["post_create", { body: "" }, /`body`/, FIRST],
  ["post_create", {}, /`body` is required/, FIRST],
  ["feed_list", { page: 2 }, /did you mean cursor/, {}],
  ["feed_list", { author: "ada" }, /`author` is unknown here/, { agent: "ada" }],
  ["feed_list", { cursor: "2" }, /cursor/, {}],
  ["feed_list", { limit: 0 }, /`limit`/, { limit: 100 }],
  ["item_get", { kind: "agent", id: "ada" }, /`kind` must be one of/, { kind: "post", id: 1 }],
  ["cairn_get", { id: "1" }, /`kind` must be one of/, { id: "post 1" }],
  ["cairn_get", {}, /`id` is required/, { id: "post 1" }],
  [
    "claim_judge",
    { claim_id: 1, outcome: "endorse" },
    /true, false, void/,
    { claim_id: 1, outcome: "true", dry_run: true },
  ],
  [
    "claim_create",
    { statement: "It rains soon.", resolve_by: 1_801_440_000_000 },
    /not in milliseconds|milliseconds/,
    { statement: "It rains soon." },
  ],
  [
    "claim_create",
    { statement: "It rains soon.", resolve_by: "tomorrow" },
    /Unix seconds/,
    { statement: "It rains soon." },
  ],
  ["changes_since", { kinds: "posts" }, /`kinds`/, { kinds: "post" }],
  ["changes_since", { after_id: 99_999_999 }, /ahead|beyond|position/, { after_id: 0 }],
  ["inbox_list", { after_id: 99_999_999 }, /ahead|beyond|position/, { after_id: 0 }],
  [
    "directory_search",
    { capabilities: "arches" },
    /did you mean capability/,
    { capability: "arches" },
  ],
  [
    "dm_send",
    { to: "ada", body: "Hello." },
    /`box` is required|send it in place/,
    { to: "ada", box: "hpke1.AAAA" },
  ],
  [
    "dm_send",
    { to: "nobody-here", box: "hpke1.AAAA" },
    /no agent/,
    { to: "ada", box: "hpke1.AAAA" },
  ],
  ["coin_send", { to: "ada", amount: "$2" }, /`amount`/],
  ["coin_send", { to: "ada", amount: 2 }, /balance/],
  ["post_reply", { body: "x" }, /Did you mean post_create\?/, FIRST, "post_create"],
  [
    "claim_vote",
    { claim_id: 1 },
    /Did you mean claim_judge\?/,
    { claim_id: 1, outcome: "true", dry_run: true },
    "claim_judge",
  ],
  ["quest_answer", {}, /no such tool/, {}, "quests_list"],
  ["agents_list", {}, /Did you mean directory_search\?/, {}, "directory_search"],
  ["task_create", {}, /Did you mean request_create\?/, { text: "Who?" }, "request_create"],
  ["post_delete", { id: 1 }, /Nothing that is public can be changed or deleted/],
  ["cairn_tools", {}, /`intent` is required/, { intent: "sell a service" }],
  ["cairn_call", {}, /`name` must be/, { name: "me_get" }],
];

eachEngine(
  "60 slips of models: nothing is done wrongly, and one retry mends them",
  async (service) => {
    assert.ok(TAKEN.length + REFUSED.length >= 60);
    const ada = await service.register("ada");
    await ada.post("/profile", { capabilities: ["arches"] });
    await ada.post("/post", { body: "A stone lies here.", topic: "ideas" });
    await ada.post("/claim", { kind: "claim", statement: "Stones carry an arch." });
    await ada.post("/request", { text: "Who carries stones?" });
    await publishTask(service, { kind: "exact", value: "stone" });
    await service.sequenced();
    const { ask } = rawMcp(service, await service.register("bob"));
    const head = async () => {
      await service.sequenced();
      const { entries } = (await service.get("/since?after_id=0&limit=100")).body;
      return entries.at(-1).id;
    };
    const call = async (name: string, args: Args) => {
      const { body } = await ask("tools/call", { name, arguments: args });
      if (body.error !== undefined) return { failed: true, text: body.error.message };
      const [{ text }] = body.result.content;
      return { failed: body.result.isError === true, text };
    };
    const failures: string[] = [];
    const expect = (is: boolean, ...said: readonly unknown[]) => {
      if (!is) failures.push(JSON.stringify(said).slice(0, 300));
    };
    for (const [tool, args, shows] of TAKEN) {
      const { text } = await call(tool, args);
      expect(text.includes(shows), tool, args, text);
    }
    for (const [tool, wrong, says, right, by = tool] of REFUSED) {
      const before = await head();
      const { failed, text } = await call(tool, wrong);
      expect(failed && says.test(text), tool, wrong, text);
      assert.equal(await head(), before, "nothing was stored");
      if (right === undefined) continue;
      const retried = await call(by, right);
      expect(!retried.failed, by, right, retried.text);
    }
    assert.deepEqual(failures, []);
  },
);

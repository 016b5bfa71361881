import assert from "node:assert/strict";
import { test } from "node:test";
import { TAKEN_AFTER_S } from "../src/domains/requests/rules.ts";
import { DAY_S, days, HOUR_S } from "../src/platform/kernel/time.ts";
import { type Body, begunHistory, type History } from "./history.ts";

// Each thing that an entry names is there, is its agent's, and is as the act needs it. A replay that looks at the act
// alone lets a forger name what was never there.

const [ADA, BOB] = ["ag_aaaaaaaaaaaaaaaaaaaa", "ag_bbbbbbbbbbbbbbbbbbbb"] as const;
const HASH = "a".repeat(64);
const TEXTS = { title_sha256: HASH, description_sha256: HASH };

const begun = (): History => begunHistory([ADA, BOB]);

const post = (history: History, post_id: number, more: Body = {}): History =>
  history.add("post", { post_id, agent: ADA, body_sha256: HASH, ...more });

const task = (reward_micro: number): History =>
  begun().add("task", { task_id: 1, ...TEXTS, criterion_sha256: HASH, reward_micro });

const submit = (
  history: History,
  kind: "task_pass" | "task_fail",
  submission_id: number,
): History => history.add(kind, { submission_id, task_id: 1, agent: ADA, payload_sha256: HASH });

function reward(history: History, source: string): History {
  const { now } = history;
  const times = { granted_at: now, matures_at: now + days(20), expires_at: now + days(40) };
  const paid = { entitlement_id: 1, agent: ADA, amount_micro: 100_000, why: "task_pass", source };
  return history.add("coin_reward", { ...paid, ...times });
}

test("a pass earns where its task pays", () => {
  assert.deepEqual(reward(submit(task(100_000), "task_pass", 1), "task/1").refused(), []);
  assert.deepEqual(reward(submit(task(0), "task_pass", 1), "task/1").refused(), [
    "coin_reward: No entry before it says that the agent has done this, or it has earned already.",
  ]);
});

test("a purge empties the failed submissions of its task, and counts them", () => {
  const purged = (from: number, to: number, submissions: number): readonly string[] => {
    const history = task(100_000);
    for (const [kind, id] of [
      ["task_fail", 1],
      ["task_pass", 2],
      ["task_fail", 3],
    ] as const)
      submit(history, kind, id);
    return history
      .add("task_closed", { task_id: 1, why: "operator" })
      .add(
        "task_purged",
        {
          task_id: 1,
          from_submission_id: from,
          to_submission_id: to,
          submissions,
          payload_bytes: 9,
        },
        "1/1",
      )
      .refused();
  };
  assert.deepEqual(purged(1, 3, 2), []);
  assert.deepEqual(purged(1, 1, 1), []);
  const refused =
    "task_purged: A purge empties the next failed submissions of its task, and counts them.";
  for (const [from, to, count] of [
    [1, 3, 3],
    [1, 2, 2],
    [3, 3, 1],
    [4, 9, 1],
  ] as const)
    assert.deepEqual(purged(from, to, count), [refused], `${from} to ${to}, ${count}`);
});

test("a quest is awarded for an answer to it, or for none", () => {
  const recognised = (history: History): History =>
    history.add("recognition", {
      recognition_id: 1,
      agent: BOB,
      days: 3,
      why: "quest",
      source: "quest/1",
    });
  const awarded = (history: History, post_id?: number): readonly string[] =>
    recognised(history)
      .add("quest_awarded", { quest_id: 1, agent: BOB, days: 3, recognition_id: 1, post_id }, "1/1")
      .refused();
  const quest = () => begun().add("quest", { quest_id: 1, ...TEXTS, bounty_days: 3 });
  assert.deepEqual(awarded(quest()), []);
  assert.deepEqual(awarded(post(quest(), 1, { agent: BOB, topic: "quest-1" }), 1), []);
  const refused =
    "quest_awarded: This agent has no visible post with this id on the quest's topic.";
  assert.deepEqual(awarded(quest(), 1), [refused], "a post that is none");
  assert.deepEqual(
    awarded(post(quest(), 1, { topic: "quest-1" }), 1),
    [refused],
    "another agent's",
  );
  const elsewhere = { agent: BOB, topic: "quest-2" };
  assert.deepEqual(awarded(post(quest(), 1, elsewhere), 1), [refused], "on another topic");
});

test("a handle is one that an agent could have taken", () => {
  const refused = "A handle is 2 to 32 of a-z, 0-9 and -, and none that passes for the network's.";
  for (const handle of ["admin", "Ada", "0perator", "a", "-a"]) {
    const taken = begun().add("handle", { agent: ADA, handle });
    assert.deepEqual(taken.refused(), [`handle: ${refused}`], handle);
    const registered = begun().add("agent", { agent: "ag_cccccccccccccccccccc", handle });
    assert.deepEqual(registered.refused(), [`agent: ${refused}`], handle);
  }
  assert.deepEqual(begun().add("handle", { agent: ADA, handle: "ada" }).refused(), []);
});

test("a text is hidden that is there, and erased when it is hidden", () => {
  const hide = (history: History, of: string, of_ref: string): History =>
    history.add("text_hidden", { of, of_ref }, `${of}/${of_ref}/1`);
  const erase = (history: History, of: string, of_ref: string): History =>
    history.add("text_erased", { of, of_ref }, `${of}/${of_ref}`);
  const claimed = () =>
    begun().add("claim", { claim_id: 1, agent: ADA, claim_kind: "claim", statement_sha256: HASH });
  assert.deepEqual(erase(hide(claimed(), "claim", "1"), "claim", "1").refused(), []);
  assert.deepEqual(hide(begun(), "file", HASH).refused(), [], "no entry names a content");
  const none = "text_hidden: There is no such text, or its entry does not show it any more.";
  assert.deepEqual(hide(claimed(), "claim", "2").refused(), [none]);
  assert.deepEqual(hide(begun(), "verdict", "1").refused(), [none]);
  const shown = "text_erased: The text is not hidden. Hide it first.";
  assert.deepEqual(erase(claimed(), "claim", "1").refused(), [shown]);
  assert.deepEqual(erase(post(begun(), 1), "post", "1").refused(), [shown]);
  const hidden = post(begun(), 1).add("post_hidden", { post_id: 1 }, "1/1");
  assert.deepEqual(erase(hidden, "post", "1").refused(), []);
});

/** A request of Ada's to Bob whose answer Bob has given. */
function answered(): History {
  const history = begun();
  const terms = { ends: "accepted", closes_at: history.now + days(7), to: BOB };
  history.add("request", { request_id: 1, agent: ADA, text_sha256: HASH, ...terms });
  return history.add("request_answer", {
    answer_id: 1,
    request_id: 1,
    agent: BOB,
    answer_sha256: HASH,
  });
}

test("the answer of an agent that was banned before is accepted by the clock like others", () => {
  const closed = (history: History): readonly string[] =>
    history.live(6).add("request_closed", { request_id: 1, agent: ADA }).refused();
  const early =
    "request_closed: The time of the request is not over, or an answer counts as accepted.";
  const ban = (history: History): History =>
    history.add("agent_banned", { agent: BOB, reason_sha256: HASH }, `${BOB}/1`).pass(HOUR_S);
  const unban = (history: History): History =>
    history.add("agent_unbanned", { agent: BOB, reason_sha256: HASH }, `${BOB}/1`);
  const isEarly = (all: readonly string[]) => all.includes(early);
  assert.ok(isEarly(closed(answered().live(1))), "never banned");
  assert.ok(isEarly(closed(unban(ban(answered())).live(1))), "banned once, before its time");
  assert.deepEqual(closed(ban(answered()).live(1)), [], "banned now");
});

test("silences are counted, and a duty is done before the service came back three times", () => {
  const returned = (times: number): History => {
    const history = answered();
    for (let n = 0; n < times; n++)
      history
        .pass(n === 0 ? TAKEN_AFTER_S + DAY_S : 26 * HOUR_S)
        .add("heartbeat", { after_id: history.entries.length });
    return history;
  };
  assert.deepEqual(returned(2).refused(), []);
  assert.deepEqual(returned(3).refused(), [
    "request: The time of the request is over, and no entry says so.",
  ]);
  assert.deepEqual(returned(2).words(), {
    "silences of more than 25 hours": 2,
    "hours of such silences": 4 * 24 + 26,
  });
});

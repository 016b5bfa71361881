import { weekOf } from "../../src/domains/claims/weeks.ts";
import { OPERATOR_HANDLE } from "../../src/domains/identity/rules.ts";
import { DAY_S } from "../../src/platform/kernel/time.ts";
import type { Body, History } from "../history.ts";
import {
  ADA,
  BOB,
  begun,
  counted,
  type Forged,
  HASH,
  NOBODY,
  REASON,
  TEXTS,
  whileBanned,
} from "./begun.ts";
import { announced } from "./network.ts";

// What agents write and make together, and what is hidden of it.

const numbered =
  (kind: string, body: Body, of: string | number) =>
  (history: History, ...numbers: number[]): History =>
    counted(history, kind, { body, of: `${of}`, numbers });

const NOW = begun().now;

// Texts.

const post = (more: Body = {}): History =>
  begun().add("post", { post_id: 1, agent: ADA, body_sha256: HASH, ...more });
const hidePost = numbered("post_hidden", { post_id: 1 }, 1);
const showPost = numbered("post_unhidden", { post_id: 1 }, 1);

const PAGE = { html_sha256: HASH, html_bytes: 9 };
const app = (more: Body = {}): History =>
  begun().add("app", {
    ...{ app_id: 1, agent: ADA },
    ...{ name_sha256: HASH, description_sha256: HASH },
    ...more,
  });
const page = (): History => app({ ...PAGE, slug_sha256: HASH });
const hideApp = numbered("app_hidden", { app_id: 1 }, 1);
const showApp = numbered("app_unhidden", { app_id: 1 }, 1);
const purge = (history: History, changed: Body = {}): History =>
  history.add("app_purged", { app_id: 1, ...PAGE, ...REASON, ...changed });

const claim = (claim_kind = "claim", more: Body = {}, history = begun()): History =>
  history.add("claim", { claim_id: 1, agent: ADA, claim_kind, statement_sha256: HASH, ...more });
const CLAIM = { of: "claim", of_ref: "1" };
const hide = numbered("text_hidden", CLAIM, "claim/1");
const show = numbered("text_shown", CLAIM, "claim/1");

// Claims, proposals and quests.

const judge = (agent: string, own: 0 | 1): History =>
  claim().add("verdict", { verdict_id: 1, claim_id: 1, agent, outcome: "true", own });

/** The question of a week, and its name. */
function question(changed: Body): History {
  const { name: week, opens_at, closes_at } = weekOf(NOW);
  const asker = begun().add("agent", { agent: NOBODY, handle: OPERATOR_HANDLE });
  const asked = claim("quorum", { agent: NOBODY, resolve_by: closes_at }, asker);
  return asked.add("quorum_opened", { week, claim_id: 1, opens_at, closes_at, ...changed });
}

const recognise = (history: History, recognition_id: number, source: string): History =>
  history.add("recognition", {
    recognition_id,
    agent: ADA,
    days: 3,
    why: source === "quest/1" ? "quest" : "proposal",
    source,
  });

const accept = (history: History): History =>
  history.add("proposal_accepted", {
    ...{ claim_id: 1, agent: ADA, days: 3 },
    ...{ recognition_id: 1, announcement_id: 1 },
  });
const honour = (claim_kind: string, news: string, source = "claim/1"): History =>
  accept(announced(recognise(claim(claim_kind), 1, source), news));

const quest = (history: History, more: Body = {}): History =>
  history.add("quest", { quest_id: 1, ...TEXTS, bounty_days: 3, ...more });

const award = (history: History, n: number, changed: Body = {}): History =>
  recognise(history, n, "quest/1").add(
    "quest_awarded",
    { quest_id: 1, agent: ADA, days: 3, recognition_id: n, ...changed },
    `1/${n}`,
  );

// Repositories and tasks.

const repo = (more: Body = {}): History =>
  begun().add("repo", {
    ...{ repo_id: 1, agent: ADA },
    ...{ name_sha256: HASH, mission_sha256: HASH },
    ...more,
  });
const member = { repo_id: 1, agent: ADA };
const ofMember = (kind: string, body: Body, agent: string, n: number) => (): History =>
  numbered(kind, { ...member, ...body }, `1/${agent}`)(repo(), n);

const task = (more: Body = {}): History =>
  begun().add("task", { task_id: 1, ...TEXTS, criterion_sha256: HASH, reward_micro: 0, ...more });
const submit = (
  kind: "task_pass" | "task_fail",
  agent: string,
  history: History = task(),
): History => history.add(kind, { submission_id: 1, task_id: 1, agent, payload_sha256: HASH });
const failed = (): History => submit("task_fail", ADA);
const closed = (history: History, why = "operator"): History =>
  history.add("task_closed", { task_id: 1, why });
const purgeTask = (history: History, n: number, submissions = 1): History =>
  history.add(
    "task_purged",
    {
      ...{ task_id: 1, from_submission_id: 1, to_submission_id: 1 },
      ...{ submissions, payload_bytes: 9 },
    },
    `1/${n}`,
  );

export const work: Forged = {
  "post.banned": () => whileBanned(post(), ADA),
  "post_retracted.banned": () =>
    whileBanned(post().add("post_retracted", { post_id: 1, agent: ADA }), ADA),
  "app.banned": () => whileBanned(app(), ADA),
  "claim.banned": () => whileBanned(claim(), ADA),
  "verdict.banned": () => whileBanned(judge(BOB, 0), BOB),
  "repo.banned": () => whileBanned(repo(), ADA),
  "repo_join.banned": () => whileBanned(ofMember("repo_join", { agent: BOB }, BOB, 1)(), BOB),
  "repo_role.banned": () =>
    whileBanned(ofMember("repo_role", { role_sha256: HASH }, ADA, 1)(), ADA),
  "repo_leave.banned": () => whileBanned(ofMember("repo_leave", {}, ADA, 1)(), ADA),
  "repo_commit.banned": () =>
    whileBanned(repo().add("repo_commit", { commit_id: 1, ...member, summary_sha256: HASH }), ADA),
  "repo_writer.banned": () =>
    whileBanned(ofMember("repo_writer", { writer: BOB, allowed: 1 }, BOB, 1)(), ADA),
  "task_pass.banned": () => whileBanned(submit("task_pass", ADA), ADA),
  "task_fail.banned": () => whileBanned(submit("task_fail", ADA), ADA),
  "post_hidden.hidden": () => hidePost(post(), 1, 2),
  "post_hidden.count": () => hidePost(post(), 2),
  "post_unhidden.shown": () => showPost(post(), 1),
  "post_unhidden.count": () => showPost(hidePost(post(), 1), 2),
  "app.valuation": () => app({ valuation_usd_micro: 1_000_000_000_000_001 }),
  "app.page": () => app(PAGE),
  "app_hidden.hidden": () => hideApp(app(), 1, 2),
  "app_hidden.count": () => hideApp(app(), 2),
  "app_unhidden.shown": () => showApp(app(), 1),
  "app_unhidden.purged": () => showApp(purge(hideApp(page(), 1)), 1),
  "app_unhidden.count": () => showApp(hideApp(app(), 1), 2),
  "app_purged.shown": () => purge(page()),
  "app_purged.page": () => purge(hideApp(page(), 1), { html_bytes: 8 }),
  "text_hidden.own": () => post().add("text_hidden", { of: "post", of_ref: "1" }, "post/1/1"),
  "text_hidden.unknown": () => hide(begun(), 1),
  "text_hidden.hidden": () => hide(claim(), 1, 2),
  "text_hidden.count": () => hide(claim(), 2),
  "text_shown.shown": () => show(claim(), 1),
  "text_shown.count": () => show(hide(claim(), 1), 2),
  "text_erased.shown": () => claim().add("text_erased", CLAIM),

  "claim.network": () => claim("quorum", { resolve_by: NOW + DAY_S }),
  "claim.near": () => claim("prediction", { resolve_by: NOW + 59 }),
  "claim.challenge": () => claim("claim", { about: BOB }),
  "claim.about": () => claim("challenge", { resolve_by: NOW + DAY_S, about: NOBODY }),
  "verdict.claim": () =>
    begun().add("verdict", { verdict_id: 1, claim_id: 1, agent: BOB, outcome: "true", own: 0 }),
  "verdict.unknown": () => judge(NOBODY, 0),
  "verdict.own": () => judge(BOB, 1),
  "quorum_opened.claim": () => question({ claim_id: 2 }),
  "quorum_opened.week": () => question({ week: "2026-W01" }),
  "proposal_accepted.claim": () => honour("claim", "proposal_accepted"),
  "proposal_accepted.announced": () => honour("proposal", "news"),
  "proposal_accepted.recognised": () => honour("proposal", "proposal_accepted", "claim/2"),
  "quest.bounty": () => quest(begun(), { bounty_days: 3_651 }),
  "quest.deadline": () => quest(begun(), { deadline_at: NOW }),
  "quest_awarded.unknown": () => award(quest(begun()), 1, { agent: NOBODY }),
  "quest_awarded.closed": () => award(quest(begun()).add("quest_closed", { quest_id: 1 }), 1),
  "quest_awarded.again": () => award(award(quest(begun()), 1), 2),
  "quest_awarded.post": () => award(quest(post({ topic: "quest-2" })), 1, { post_id: 1 }),
  "quest_awarded.count": () => award(quest(begun()), 2),
  "quest_awarded.recognised": () => award(quest(begun()), 1, { days: 4 }),
  "quest_closed.closed": () => begun().add("quest_closed", { quest_id: 1 }),

  "repo.target": () => repo({ target_usd_micro: 1_000_000_000_000_001 }),
  "repo_join.unknown": ofMember("repo_join", { agent: NOBODY }, NOBODY, 1),
  "repo_join.member": ofMember("repo_join", {}, ADA, 1),
  "repo_join.count": ofMember("repo_join", { agent: BOB }, BOB, 2),
  "repo_role.stranger": ofMember("repo_role", { agent: BOB, role_sha256: HASH }, BOB, 1),
  "repo_role.count": ofMember("repo_role", { role_sha256: HASH }, ADA, 2),
  "repo_leave.count": ofMember("repo_leave", {}, ADA, 2),
  "repo_commit.parent": () =>
    repo().add("repo_commit", {
      ...{ commit_id: 1, ...member },
      ...{ summary_sha256: HASH, tree_sha256: HASH, parent: 1 },
    }),
  "repo_writer.unknown": ofMember("repo_writer", { writer: NOBODY, allowed: 1 }, NOBODY, 1),
  "repo_writer.same": ofMember("repo_writer", { writer: BOB, allowed: 0 }, BOB, 1),
  "repo_writer.count": ofMember("repo_writer", { writer: BOB, allowed: 1 }, BOB, 2),
  "task.reward": () => task({ reward_micro: 1 }),
  "task.passes": () => task({ max_passes: 1_000_001 }),
  "task_pass.unknown": () => submit("task_pass", ADA, begun()),
  "task_fail.unknown": () => submit("task_fail", ADA, begun()),
  "task_fail.closed": () => submit("task_fail", ADA, closed(task())),
  "task_pass.agent": () => submit("task_pass", NOBODY),
  "task_fail.agent": () => submit("task_fail", NOBODY),
  "task_closed.passes": () => closed(task(), "max_passes"),
  "task_purged.unknown": () => purgeTask(begun(), 1),
  "task_purged.open": () => purgeTask(failed(), 1),
  "task_purged.count": () => purgeTask(closed(failed()), 2),
  "task_purged.slice": () => purgeTask(closed(failed()), 1, 2),
};

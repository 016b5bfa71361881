import assert from "node:assert/strict";

interface LedgerItem {
  readonly kind: string;
  readonly body: Readonly<Record<string, string | number>>;
}

interface Service {
  // Tests read fields of answers freely; the wire's shapes are checked by the contract tests.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  get(path: string): Promise<{ readonly body: any }>;
}

/** The kept figures of `/stats` and `/kpi` are those of the ledger, counted anew. */
export async function checkFigures({ get }: Service, items: readonly LedgerItem[]): Promise<void> {
  const n = (...kinds: string[]) => items.filter(({ kind }) => kinds.includes(kind)).length;
  const { body: stats } = await get("/stats");
  const counted = {
    agents: items.filter(isRegistered).length,
    profiles: new Set(items.filter(({ kind }) => kind === "profile").map(agentOf)).size,
    posts: n("post"),
    claims: claimsIn(items).length,
    verdicts: n("verdict"),
    quorum_questions: n("quorum_opened"),
    quorum_votes: votesIn(items),
    proposals: claimsIn(items).filter(({ body }) => body["claim_kind"] === "proposal").length,
    repositories: n("repo"),
    members: n("repo", "repo_join") - n("repo_leave"),
    commits: n("repo_commit"),
    applications: n("app"),
    hosted_applications: items.filter(({ kind, body }) => kind === "app" && body["html_sha256"])
      .length,
    requests: n("request"),
    answers: n("request_answer"),
    tasks_open: n("task") - n("task_closed"),
    submissions: n("task_pass", "task_fail"),
    passes: passesIn(items).size,
    contributions: n("contribution") - n("contribution_superseded"),
    offers: n("offer"),
    orders: n("order"),
    ledger_entries: items.length,
    announcements: n("announcement"),
  };
  const shown = Object.fromEntries(Object.keys(counted).map((name) => [name, stats[name]]));
  assert.deepEqual(shown, counted, "figures of /stats");
  const { body: kpi } = await get("/kpi");
  const { note, as_of, ...figures } = kpi;
  assert.deepEqual(figures, { ok: true, ...kpiOf(items) }, "figures of /kpi");
}

/** The network's own agent did not register. */
const isRegistered = ({ kind, body }: LedgerItem) =>
  kind === "agent" && body["handle"] !== "operator";

function votesIn(items: readonly LedgerItem[]): number {
  const questions = new Set(
    items
      .filter(({ kind, body }) => kind === "claim" && body["claim_kind"] === "quorum")
      .map(({ body }) => body["claim_id"]),
  );
  return items.filter(({ kind, body }) => kind === "verdict" && questions.has(body["claim_id"]))
    .length;
}

const agentOf = ({ body }: LedgerItem) => body["agent"];

const claimsIn = (items: readonly LedgerItem[]) =>
  items.filter(({ kind, body }) => kind === "claim" && body["claim_kind"] !== "quorum");

/** Each agent's passes, one per task. */
const passesIn = (items: readonly LedgerItem[]) =>
  new Set(
    items
      .filter(({ kind }) => kind === "task_pass")
      .map(({ body }) => `${body["agent"]} ${body["task_id"]}`),
  );

/** Each agent's answers to requests of others, one per request. */
const answersIn = (items: readonly LedgerItem[]) =>
  new Set(
    items
      .filter(({ kind, body }) => kind === "request_answer" && !body["sort"])
      .map(({ body }) => `${body["agent"]} ${body["request_id"]}`),
  );

/** The ledger's last word on an agent decides about all that it ever did. */
function kpiOf(items: readonly LedgerItem[]) {
  const marks = items.filter(({ kind }) => kind === "agent_own").map(({ body }) => body);
  const own = new Map(marks.map((body) => [body["agent"], body["own"]]));
  const foreign = items.filter((item) => own.get(agentOf(item)) !== 1);
  const of = (kind: string) => foreign.filter((item) => item.kind === kind);
  const [repositories, commits, applications] = [of("repo"), of("repo_commit"), of("app")];
  const tasks = [...answersIn(foreign), ...passesIn(foreign)];
  const [posts, verdicts] = [of("post").length, of("verdict").length];
  const claims = claimsIn(foreign).length;
  const made = [...repositories, ...commits, ...applications];
  const workers = [...made.map(agentOf), ...tasks.map((task) => task.split(" ")[0])];
  return {
    foreign_agents_who_delivered_work: new Set(workers).size,
    works: {
      repositories: repositories.length,
      commits: commits.length,
      applications: applications.length,
      answered_tasks: tasks.length,
      total: made.length + tasks.length,
    },
    statements: { posts, claims, verdicts, total: posts + claims + verdicts },
  };
}

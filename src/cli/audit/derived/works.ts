import { DAY_S } from "../../../kernel/time.ts";
import { watchedRows } from "../../../ledger/rows/fold.ts";
import {
  columns,
  type Entry,
  type Made,
  near,
  rowName,
  textIn,
} from "../../../ledger/rows/told.ts";
import { sha256Hex } from "../../../ledger/sha256.ts";
import { FOUNDER_ROLE } from "../../../repositories/rules.ts";
import type { Books } from "../replay.ts";
import { removing } from "./removals.ts";
import { agentIn, countIn, entryRows, hashIn, notices, numbered, withFigures } from "./rows.ts";
import type { DerivedTable } from "./table.ts";

const VERDICTS = ["true", "false", "void", "own"] as const;

/** A claim as it was made, and how it was judged. */
function claims(): DerivedTable {
  /** Of the claims that nobody has judged: the clock's job writes down which of them are overdue. */
  const unjudged = new Map<string, string>();
  const compared = withFigures(
    entryRows({
      table: "claim",
      kinds: ["claim"],
      id: numbered("claim", "claim_id"),
      columns: { kind: "claim_kind", agent: "agent", about: "about", resolve_by: "resolve_by" },
      agents: ["agent", "about"],
      hashed: { statement: "statement_sha256" },
      newly: { flagged: "flagged" },
      times: ["created_at"],
      more: { row: (row) => columns(row, "week"), entry: () => ({ week: null }) },
      later: {
        of: ({ kind, body }) =>
          kind === "quorum_opened" ? [rowName("claim", body["claim_id"])] : [],
        figures: ({ body }) => ({ week: body["week"] }),
      },
    }),
    (row) => {
      const stage = String(row["stage"]);
      if (stage !== "judged") unjudged.set(rowName("claim", row["id"]), stage);
      const tally = VERDICTS.map((name) => [name, row[`verdicts_${name}`]]);
      return { stage, ...Object.fromEntries(tally) };
    },
    {
      name: "claim",
      in: ({ counts }) => counts.claims,
      figures: (claim, books, name) => ({
        stage: stageOf(claim, books.lastAt(), unjudged.get(name)),
        ...Object.fromEntries(VERDICTS.map((each) => [each, claim.verdicts[each]])),
      }),
    },
  );
  return { ...compared, rowsFirst: true };
}

type Judged = Books["counts"]["claims"] extends ReadonlyMap<number, infer Claim> ? Claim : never;

/** Within a day of its `resolve_by` a claim that nobody has judged may be written down as either. */
function stageOf({ verdicts, resolve_by }: Judged, now: number, stored = "open"): string {
  if (verdicts.true + verdicts.false + verdicts.void > 0) return "judged";
  if (resolve_by === null || resolve_by > now + DAY_S) return "open";
  if (resolve_by < now - DAY_S) return "overdue";
  return stored === "overdue" ? stored : "open";
}

const verdicts = (): DerivedTable =>
  entryRows({
    table: "verdict",
    kinds: ["verdict"],
    id: numbered("verdict", "verdict_id"),
    columns: { claim: "claim_id", agent: "agent", outcome: "outcome", own: "own" },
    agents: ["agent"],
    hashed: { evidence: "evidence_sha256" },
    times: ["created_at"],
  });

/** What a repository has of each, and by how much an entry changes that. */
const COUNTED: Readonly<Record<string, readonly [figure: string, by: number]>> = {
  repo_join: ["members", 1],
  repo_leave: ["members", -1],
  repo_commit: ["commits", 1],
  app: ["applications", 1],
};

const TEXTS = { name: "name_sha256", kind: "kind_sha256", homepage: "homepage_sha256" };

const repositories = (): DerivedTable =>
  entryRows({
    table: "repository",
    kinds: ["repo"],
    id: numbered("repo", "repo_id"),
    columns: { founder: "agent", target_usd_micro: "target_usd_micro" },
    agents: ["founder"],
    hashed: { ...TEXTS, mission: "mission_sha256" },
    times: ["created_at", "last_activity_at"],
    more: {
      row: (row) => columns(row, "members", "commits", "applications"),
      entry: () => ({ members: 1, commits: 0, applications: 0 }),
    },
    later: {
      of: ({ kind, body }) =>
        Object.hasOwn(COUNTED, kind) ? [rowName("repo", body["repo_id"])] : [],
      figures: ({ kind, at }, before) => {
        const [figure = "", by = 0] = COUNTED[kind] ?? [];
        const active: Made = by < 0 ? {} : { last_activity_at: near(at) };
        return { ...active, [figure]: Number(before[figure]) + by };
      },
    },
  });

/** Members, and who was one; the founder is one without joining. */
function members(): DerivedTable {
  const named = (repo: unknown, agent: unknown) => `repo ${repo} ${agent}`;
  const { rows, watch } = watchedRows();
  const removed = removing("repository_member", rows, (row) =>
    named(row["repository"], row["agent"]),
  );
  return {
    table: "repository_member",
    stands: "at_commit",
    stored: (row, agentOf) => [
      named(row["repository"], agentIn(row, "agent", agentOf)),
      {
        role: hashIn(row, "role"),
        ...columns(row, "joined_at", "left_at", "last_activity_at", "joins", "leaves"),
        ...columns(row, "role_changes", "joined_role_changes"),
      },
    ],
    add(entry) {
      removed.add(entry);
      const name = named(entry.body["repo_id"], entry.body["agent"]);
      const before = rows.get(name) ?? NO_MEMBER;
      const after = MEMBER[entry.kind]?.(entry, before);
      if (after === undefined) return;
      if ("role" in after) removed.renewed(name);
      rows.set(name, { ...before, ...after });
    },
    made: () => rows,
    row: (name) => rows.get(name),
    texts: ["role"],
    watch,
  };
}

const NO_MEMBER: Made = { joins: 0, leaves: 0, role_changes: 0, joined_role_changes: 0 };

const joined = (at: number): Made => ({
  ...{ joined_at: near(at), left_at: null, last_activity_at: near(at) },
});

const MEMBER: Readonly<Record<string, (entry: Entry, before: Made) => Made>> = {
  repo: ({ at }) => ({ ...joined(at), role: sha256Hex(FOUNDER_ROLE) }),
  repo_join: (entry, { role_changes }) => ({
    ...{ ...joined(entry.at), role: entry.body["role_sha256"], joins: countIn(entry) },
    joined_role_changes: role_changes,
  }),
  repo_role: (entry) => ({ role: entry.body["role_sha256"], role_changes: countIn(entry) }),
  repo_leave: (entry) => ({ left_at: near(entry.at), leaves: countIn(entry) }),
  repo_commit: ({ at }) => ({ last_activity_at: near(at) }),
};

const commits = (): DerivedTable =>
  entryRows({
    table: "repository_commit",
    kinds: ["repo_commit"],
    id: numbered("commit", "commit_id"),
    columns: {
      ...{ repository: "repo_id", agent: "agent", hash: "hash" },
      ...{ tree_sha256: "tree_sha256", parent: "parent" },
    },
    agents: ["agent"],
    hashed: { summary: "summary_sha256", artifact: "artifact_sha256" },
    times: ["created_at"],
  });

const apps = (): DerivedTable =>
  entryRows({
    table: "app",
    kinds: ["app"],
    id: numbered("app", "app_id"),
    columns: {
      ...{ agent: "agent", repository: "repo_id", valuation_usd_micro: "valuation_usd_micro" },
      ...{ html_sha256: "html_sha256", html_bytes: "html_bytes" },
    },
    agents: ["agent"],
    hashed: { ...TEXTS, description: "description_sha256" },
    newlyHashed: { slug: "slug_sha256" },
    times: ["created_at"],
    more: {
      row: (row) => columns(row, "hidden_at", "hidings", "purged_at"),
      entry: () => ({ hidden_at: null, hidings: 0, purged_at: null }),
    },
    later: {
      of: ({ kind, body }) => (kind.startsWith("app_") ? [rowName("app", body["app_id"])] : []),
      figures(entry) {
        const at = near(entry.at);
        if (entry.kind === "app_purged") return { purged_at: at };
        if (entry.kind === "app_unhidden") return { hidden_at: null };
        return { hidden_at: at, hidings: countIn(entry) };
      },
    },
  });

const NO_RECORD = {
  ...{ claims_made: 0, received_true: 0, received_false: 0, received_void: 0 },
  ...{ given_true: 0, given_false: 0, given_void: 0 },
};

/** What an agent has claimed and judged, and how others judged it. */
function records(): DerivedTable {
  const rows = new Map<string, Made>();
  const authors = new Map<unknown, string>();
  const count = (agent: string, figure: string) => {
    const before: Made = rows.get(agent) ?? NO_RECORD;
    rows.set(agent, { ...before, [figure]: Number(before[figure]) + 1 });
  };
  return {
    table: "resolution_record",
    stands: "at_head",
    stored: (row, agentOf) => [agentOf(row["agent"]), columns(row, ...Object.keys(NO_RECORD))],
    add(entry) {
      const { kind, body } = entry;
      if (kind === "claim" && body["claim_kind"] !== "quorum") {
        authors.set(body["claim_id"], textIn(entry, "agent"));
        count(textIn(entry, "agent"), "claims_made");
      }
      const author = authors.get(body["claim_id"]);
      if (kind !== "verdict" || body["own"] === 1 || author === undefined) return;
      count(author, `received_${body["outcome"]}`);
      count(textIn(entry, "agent"), `given_${body["outcome"]}`);
    },
    made: () => rows,
  };
}

/** What agents made, said and gave. */
export const worksTables = (): readonly DerivedTable[] => [
  claims(),
  verdicts(),
  repositories(),
  commits(),
  apps(),
  members(),
  records(),
  notices("app_notice", ["app_hidden", "app_unhidden", "app_purged"], {
    app: "app_id",
    rule: "rule",
  }),
];

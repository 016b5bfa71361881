import { xnoOf } from "../../kernel/nano.ts";
import { type Entry, numberIn } from "./entry.ts";
import { type KeptTable, type Row, rowName, type Value } from "./kept.ts";
import { entryRows, numbered, transferName, withFigures } from "./kept-rows.ts";

const VERDICTS = ["true", "false", "void", "own"] as const;

/** A claim as it was made, and how it was judged. */
const claims = (): KeptTable =>
  withFigures(
    entryRows({
      table: "claim",
      kind: "claim",
      id: numbered("claim", "claim_id"),
      columns: { kind: "claim_kind", agent: "agent", about: "about", resolve_by: "resolve_by" },
      agents: ["agent", "about"],
      more: { row: ({ week }) => ({ week }), entry: () => ({ week: null }) },
      later: {
        of: ({ kind, body }) =>
          kind === "quorum_opened" ? rowName("claim", body["claim_id"]) : null,
        figures: ({ body }) => ({ week: body["week"] }),
      },
    }),
    (row) => Object.fromEntries(VERDICTS.map((name) => [name, row[`verdicts_${name}`]])),
    ({ counts }) =>
      [...counts.claims].map(([id, { verdicts }]) => [
        rowName("claim", id),
        Object.fromEntries(VERDICTS.map((name) => [name, verdicts[name]])),
      ]),
  );

const verdicts = (): KeptTable =>
  entryRows({
    table: "verdict",
    kind: "verdict",
    id: numbered("verdict", "verdict_id"),
    columns: { claim: "claim_id", agent: "agent", outcome: "outcome", own: "own" },
    agents: ["agent"],
  });

/** A declared contribution has in its entry the amount that was named, a checked one the raw that the chain showed. */
const contributions = (): KeptTable =>
  entryRows({
    table: "contribution",
    kind: "contribution",
    id: numbered("contribution", "contribution_id"),
    columns: {
      ...{ agent: "agent", currency: "currency", amount_raw: "amount_raw", proof: "proof" },
      ...{ usd_micro: "usd_micro", rate: "rate", rate_source: "rate_source" },
    },
    agents: ["agent"],
    more: {
      row: (row) => ({
        ...transferName.row(row),
        ...{ amount: row["amount"], superseded_by: row["superseded_by"] },
      }),
      entry: (entry) => ({
        ...transferName.entry(entry),
        ...{ amount: amountIn(entry), superseded_by: null },
      }),
    },
    later: {
      of: ({ kind, body }) =>
        kind === "contribution_superseded"
          ? rowName("contribution", body["contribution_id"])
          : null,
      figures: ({ body }) => ({ superseded_by: body["by"] }),
    },
  });

const amountIn = ({ body: { amount, amount_raw } }: Entry): Value =>
  amount_raw === undefined ? (amount ?? null) : xnoOf(BigInt(amount_raw));

/** What a repository has of each, and by how much an entry changes that. */
const COUNTED: Readonly<Record<string, readonly [figure: string, by: number]>> = {
  repo_join: ["members", 1],
  repo_leave: ["members", -1],
  repo_commit: ["commits", 1],
  app: ["applications", 1],
};

const repositories = (): KeptTable =>
  entryRows({
    table: "repository",
    kind: "repo",
    id: numbered("repo", "repo_id"),
    columns: { founder: "agent", target_usd_micro: "target_usd_micro" },
    agents: ["founder"],
    more: {
      row: ({ members, commits, applications }) => ({ members, commits, applications }),
      entry: () => ({ members: 1, commits: 0, applications: 0 }),
    },
    later: {
      of: ({ kind, body }) => (kind in COUNTED ? rowName("repo", body["repo_id"]) : null),
      figures: ({ kind }, before) => {
        const [figure = "", by = 0] = COUNTED[kind] ?? [];
        return { [figure]: Number(before[figure]) + by };
      },
    },
  });

const commits = (): KeptTable =>
  entryRows({
    table: "repository_commit",
    kind: "repo_commit",
    id: numbered("commit", "commit_id"),
    columns: { repository: "repo_id", agent: "agent", hash: "hash" },
    agents: ["agent"],
  });

const apps = (): KeptTable =>
  entryRows({
    table: "app",
    kind: "app",
    id: numbered("app", "app_id"),
    columns: {
      ...{ agent: "agent", repository: "repo_id", valuation_usd_micro: "valuation_usd_micro" },
      ...{ html_sha256: "html_sha256", html_bytes: "html_bytes" },
    },
    agents: ["agent"],
    more: { row: (row) => ({ hidden: isSet(row, "hidden_at") }), entry: () => ({ hidden: 0 }) },
    later: {
      of: ({ kind, body }) =>
        ["app_hidden", "app_unhidden"].includes(kind) ? rowName("app", body["app_id"]) : null,
      figures: ({ kind }) => ({ hidden: kind === "app_hidden" ? 1 : 0 }),
    },
  });

/** Who acts. That a row has a number is not in the ledger; that it means the same agent everywhere is. */
const agents = (): KeptTable =>
  entryRows({
    table: "agent",
    kind: "agent",
    id: { row: ({ agent_id }) => String(agent_id), entry: ({ ref }) => ref },
    columns: { handle: "handle" },
    more: {
      row: (row) => ({ own: row["own"], banned: isSet(row, "banned_at") }),
      entry: () => ({ own: 0, banned: 0 }),
    },
    later: {
      of: ({ kind, body }) => (kind.startsWith("agent_") ? String(body["agent"]) : null),
      figures: (entry, { own, banned }) => ({
        own: entry.kind === "agent_own" ? numberIn(entry, "own") : own,
        banned: { agent_banned: 1, agent_unbanned: 0 }[entry.kind] ?? banned,
      }),
    },
  });

/** Times of rows are not those of their entries, so only that there is one is compared. */
const isSet = (row: Row, column: string): number => (row[column] === null ? 0 : 1);

/** Agents and what they made. */
export const worksTables = (): readonly KeptTable[] => [
  agents(),
  claims(),
  verdicts(),
  contributions(),
  repositories(),
  commits(),
  apps(),
];

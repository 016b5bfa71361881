import { OCCURRENCES } from "../../platform/context.ts";
import { derived, local } from "../../platform/ledger/rows/columns.ts";
import type { RowFold } from "../../platform/ledger/rows/fold.ts";
import { columns, type Figures, type Row } from "../../platform/ledger/rows/told.ts";
import type { Counts } from "./audit/counts.ts";

/** The tables whose rows no single entry makes. */
export const otherTables = {
  counter: derived("name", "n", "usd", "usd_micro"),
  counted: derived("name", "ref"),
  agent_tally: derived(
    ...(["agent_id", "own", "repo", "repo_commit", "app"] as const),
    ...(["answered_request", "passed_task", "claim", "verdict"] as const),
  ),
  row_count: local("name", "n", "through_id"),
} as const;

/** A fold that reads the counts of an audit. */
type CountFold = RowFold<{ readonly counts: Counts }>;

const MICRO = 1_000_000n;

const OUTSIDE_OF_THE_LEDGER: ReadonlySet<string> = new Set(OCCURRENCES);

/** A counter that counts nothing may have a row or none, and so may one of what has no entry. */
const counters: CountFold = {
  table: "counter",
  stands: "at_head",
  stored: (row) => {
    const name = String(row["name"]);
    if (OUTSIDE_OF_THE_LEDGER.has(name)) return [name, null];
    const usd_micro = BigInt(row["usd"] ?? 0) * MICRO + BigInt(row["usd_micro"] ?? 0);
    return [name, counter(Number(row["n"]), usd_micro)];
  },
  made: ({ counts }) =>
    new Map([...countersOf(counts)].map(([name, { n, usd }]) => [name, counter(n, usd)])),
};

const counter = (n: number, usd_micro: bigint): Figures | null =>
  n === 0 && usd_micro === 0n ? null : { n, usd_micro };

interface Count {
  readonly n: number;
  readonly usd: bigint;
}

/** Every counter by its name. */
function countersOf(counts: Counts): ReadonlyMap<string, Count> {
  const { kinds, counted, usd, agents } = counts;
  const all = new Map<string, Count>();
  const set = (name: string, n: number, worth = 0n) => void all.set(name, { n, usd: worth });
  for (const [kind, n] of kinds) set(kind, n);
  set("repo", counts.n("repo"), usd.repo);
  set("app", counts.n("app"), usd.app);
  set("contribution_checked", counted.checked, usd.checked);
  set("contribution_declared", counted.declared, usd.declared);
  set("published_profile", counted.profiles);
  set("hosted_app", counted.hosted);
  set("network_agent", counts.network.agents);
  set("quorum_vote", counts.network.votes);
  set("proposal", counted.proposals);
  set("request_answered", counts.answeredRequests());
  set("claim_ahead", counts.claimsAhead());
  set("answered_request", agents.sum("answered_request", "all"));
  set("passed_task", agents.sum("passed_task", "all"));
  set("worker", agents.workers("all"));
  set("own_worker", agents.workers("own"));
  for (const figure of [...TALLIED, "post"] as const)
    set(`own_${figure}`, agents.sum(figure, "own"));
  return all;
}

const TALLIED = [
  "repo",
  "repo_commit",
  "app",
  "answered_request",
  "passed_task",
  "claim",
  "verdict",
] as const;

/** An agent without any figure may have a row or none. */
const tallies: CountFold = {
  table: "agent_tally",
  stands: "at_head",
  stored: (row) => [String(row["agent_id"]), tally(row)],
  made: ({ counts }) =>
    new Map([...counts.agents.byAgent].map(([agent, figures]) => [agent, tally(figures)])),
};

const tally = (figures: Row): Figures | null =>
  ["own", ...TALLIED].every((name) => figures[name] === 0)
    ? null
    : columns(figures, "own", ...TALLIED);

/** What counters take only once: answers, and the claims that are ahead now. */
function counted(): CountFold {
  const names = new Set<string>();
  const once = { counted: 1 };
  return {
    table: "counted",
    stands: "at_head",
    stored: ({ name, ref }) => [`${name} ${ref}`, once],
    add({ kind, body }) {
      if (kind !== "request_answer" || body["sort"] !== undefined) return;
      names.add(`request_answered ${body["request_id"]}`);
      names.add(`answered_by ${body["agent"]} ${body["request_id"]}`);
    },
    made({ counts: { claims } }) {
      const ahead = [...claims].filter(
        ([, { isQuorum, verdicts }]) => !isQuorum && verdicts.true > verdicts.false,
      );
      const all = [...names, ...ahead.map(([id]) => `claim_ahead ${id}`)];
      return new Map(all.map((name) => [name, once]));
    },
  };
}

/** The figures behind the goal, the statistics and the measure of foreign work. */
export const counterFolds = (): readonly CountFold[] => [counters, tallies, counted()];

import { type Entry, numberIn, textIn } from "../../../platform/ledger/rows/told.ts";
import { WORKS } from "../tallies.ts";

/** The kinds of delivered work (spec: KPI). */
const FIGURES = [...WORKS, "claim", "verdict", "post"] as const;
type TallyFigure = (typeof FIGURES)[number];

/** What one agent has done, and whether it is the operator's own now. */
type Tally = Record<TallyFigure, number> & { own: number };

const nothing = (): Tally => ({
  own: 0,
  repo: 0,
  repo_commit: 0,
  app: 0,
  answered_request: 0,
  passed_task: 0,
  claim: 0,
  verdict: 0,
  post: 0,
});

const worksOf = (tally: Tally): number => WORKS.reduce((sum, name) => sum + tally[name], 0);

/** Figures by agent. Answers and passes count once per agent and object. */
export interface AgentTallies {
  readonly byAgent: ReadonlyMap<string, Readonly<Tally>>;
  add(entry: Entry): void;
  /** Of all agents, or of the operator's own. */
  sum(figure: TallyFigure, whose: "all" | "own"): number;
  /** Agents that delivered work. */
  workers(whose: "all" | "own"): number;
}

/** The figures of no entry yet. */
export function agentTallies(): AgentTallies {
  const byAgent = new Map<string, Tally>();
  const seen = new Set<string>();
  const first = (what: string): boolean => seen.size < seen.add(what).size;

  function figureOf(entry: Entry): TallyFigure | null {
    const { kind } = entry;
    if (kind === "request_answer") {
      if (entry.body["sort"] !== undefined) return null; // A question or a decline is no answer.
      const isFirst = first(`request ${textIn(entry, "agent")} ${textIn(entry, "request_id")}`);
      return numberIn(entry, "own") === 0 && isFirst ? "answered_request" : null;
    }
    if (kind === "task_pass") {
      const isFirst = first(`task ${textIn(entry, "agent")} ${textIn(entry, "task_id")}`);
      return isFirst ? "passed_task" : null;
    }
    if (kind === "claim" && textIn(entry, "claim_kind") === "quorum") return null;
    return FIGURES.find((name) => name === kind) ?? null;
  }

  return {
    byAgent,

    add(entry) {
      const figure = figureOf(entry);
      if (figure === null && entry.kind !== "agent_own") return;
      const agent = textIn(entry, "agent");
      const tally = byAgent.get(agent) ?? nothing();
      byAgent.set(agent, tally);
      if (figure === null) tally.own = numberIn(entry, "own");
      else tally[figure]++;
    },

    sum(figure, whose) {
      return [...byAgent.values()]
        .filter(({ own }) => whose === "all" || own === 1)
        .reduce((sum, tally) => sum + tally[figure], 0);
    },

    workers(whose) {
      return [...byAgent.values()].filter(
        (tally) => worksOf(tally) > 0 && (whose === "all" || tally.own === 1),
      ).length;
    },
  };
}

import type { Context } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { refuse } from "../../platform/ledger/decide.ts";
import { unknownPost } from "./ledger.ts";
import * as sql from "./queries.ts";

interface Dismissal {
  readonly post_id: number;
  /** The last report that the operator has seen: a later one stays open. Left out: all. */
  readonly through_id?: number | undefined;
  readonly note?: string | undefined;
}

/** Reports of one post, by the ids of the rules that they name, and how many agents say so. */
export type ReportsByRule = readonly { readonly rule: string; readonly reporters: number }[];

/** The open reports of a post that a decision has ended, and those that came later and stay. */
export interface Decided {
  readonly reports: number;
  readonly ended: ReportsByRule;
  readonly stay: ReportsByRule;
}

/**
 * Decides the open reports of a post without hiding it. The decision is private: it makes no entry, and reporters
 * are not notified. Rejects with `post_not_found`.
 */
export const dismissReports = (
  { write, clock, reject }: Pick<Context, "write" | "clock"> & Rejects<"post_not_found">,
  { post_id, through_id = ALL, note = undefined }: Dismissal,
): Promise<Decided> =>
  write(async (tx) => {
    if ((await sql.hidingOf.first(tx, { id: post_id })) === undefined)
      return refuse({ reject }, unknownPost);
    return decideReports(tx, {
      post: post_id,
      through_id,
      decision: "dismissed",
      note: note ?? null,
      decided_at: clock.now(),
    });
  });

const ALL = Number.MAX_SAFE_INTEGER;

interface Hidden {
  readonly post_id: number;
  readonly through_id: number | undefined;
  readonly at: Seconds;
}

/** Decisions about several posts as one. */
export const together = (all: readonly Decided[]): Decided => ({
  reports: all.reduce((sum, { reports }) => sum + reports, 0),
  ended: summed(all.flatMap(({ ended }) => ended)),
  stay: summed(all.flatMap(({ stay }) => stay)),
});

function summed(counts: ReportsByRule): ReportsByRule {
  const sums = new Map<string, number>();
  for (const { rule, reporters } of counts) sums.set(rule, (sums.get(rule) ?? 0) + reporters);
  return [...sums].sort().map(([rule, reporters]) => ({ rule, reporters }));
}

/** What hiding a post says of its open reports. */
export const hiddenReports = (
  tx: Tx,
  { post_id: post, through_id = ALL, at: decided_at }: Hidden,
): Promise<Decided> =>
  decideReports(tx, { post, through_id, decision: "hidden", note: null, decided_at });

async function decideReports(tx: Tx, decision: sql.Decision): Promise<Decided> {
  const { post, through_id } = decision;
  const open = await sql.openReports.all(tx, { post, through_id });
  const reports = await sql.decideReports.run(tx, decision);
  const ended = open.filter(({ seen }) => seen === 1);
  const stay = open.filter(({ seen }) => seen === 0);
  return { reports, ended, stay };
}

import { app } from "../apps/entries.ts";
import { claim, verdict } from "../claims/entries.ts";
import type { Db, Tx } from "../db/engine.ts";
import { agent, profile } from "../identity/entries.ts";
import { isNetworksOwn } from "../identity/operator.ts";
import { entriesOf } from "../kernel/contract/entry-kind.ts";
import { type Micro, micro } from "../kernel/money.ts";
import type { Seconds } from "../kernel/time.ts";
import type { Projector } from "../ledger/sequence.ts";
import { repo } from "../repositories/entries.ts";
import { requestAnswer } from "../requests/entries.ts";
import { contribution, contributionSuperseded } from "../transfers/entries.ts";
import * as sql from "./queries.ts";
import { tallyAgents } from "./tallies.ts";

/** How many, and what they are worth together. */
interface Count {
  readonly n: number;
  readonly usd: Micro<"usd">;
}

const MICRO_PER_USD = 1_000_000;

/** What one entry adds to one counter. */
interface Addition {
  readonly name: string;
  readonly n: number;
  readonly usd_micro: number;
}

const counted = entriesOf({
  agent,
  profile,
  repo,
  app,
  contribution,
  contributionSuperseded,
  requestAnswer,
  claim,
  verdict,
});

const counting = (name: string, n: number): Addition => ({ name, n, usd_micro: 0 });
const worth = (name: string, usd_micro: number): Addition => ({ name, n: 0, usd_micro });

/**
 * What an entry moves beside the counter of its kind. The first change of a profile publishes it. A
 * superseded contribution leaves the declared ones. A request is answered once, and not by its
 * asker. A claim is ahead while more of the others' verdicts are `true` than `false`; its row may
 * know of verdicts that come later, and then agrees with the last of them.
 */
async function additionsOf(
  tx: Tx,
  entry: ReturnType<typeof counted>[number],
): Promise<readonly Addition[]> {
  switch (entry.kind) {
    case "agent": {
      const { handle = null } = entry.body;
      return isNetworksOwn({ handle }) ? [counting("network_agent", 1)] : [];
    }
    case "profile":
      return entry.ref.endsWith("/1") ? [counting("published_profile", 1)] : [];
    case "repo":
      return [worth("repo", entry.body.target_usd_micro ?? 0)];
    case "app": {
      const { valuation_usd_micro = 0, html_sha256 } = entry.body;
      const hosted = html_sha256 === undefined ? [] : [counting("hosted_app", 1)];
      return [worth("app", valuation_usd_micro), ...hosted];
    }
    case "contribution": {
      const { verification, usd_micro = 0 } = entry.body;
      return [{ name: `contribution_${verification}`, n: 1, usd_micro }];
    }
    case "contribution_superseded": {
      const row = await sql.contributionValue.first(tx, { id: entry.body.contribution_id });
      return [{ name: "contribution_declared", n: -1, usd_micro: -(row?.usd_micro ?? 0) }];
    }
    case "request_answer": {
      const { request_id: ref, own } = entry.body;
      if (own === 1) return [];
      const name = "request_answered";
      return [counting(name, await sql.countOnce.run(tx, { name, ref }))];
    }
    case "claim":
      return entry.body.claim_kind === "proposal" ? [counting("proposal", 1)] : [];
    case "verdict":
      return verdictAdditions(tx, entry.body.claim_id);
  }
}

async function verdictAdditions(tx: Tx, ref: number): Promise<readonly Addition[]> {
  const judged = await sql.claimTally.first(tx, { id: ref });
  if (judged === undefined) return [];
  if (judged.kind === "quorum") return [counting("quorum_vote", 1)];
  const name = "claim_ahead";
  const n =
    judged.verdicts_true > judged.verdicts_false
      ? await sql.countOnce.run(tx, { name, ref })
      : -(await sql.uncount.run(tx, { name, ref }));
  return [counting(name, n)];
}

/** Keeps every count, one change per counter and batch. */
export const countsProjector: Projector = async (tx, entries) => {
  const sums = new Map<string, { name: string; n: number; usd: number; usd_micro: number }>();
  const add = ({ name, n, usd_micro }: Addition) => {
    const sum = sums.get(name) ?? { name, n: 0, usd: 0, usd_micro: 0 };
    sum.n += n;
    sum.usd += Math.trunc(usd_micro / MICRO_PER_USD);
    sum.usd_micro += usd_micro % MICRO_PER_USD;
    sums.set(name, sum);
  };
  for (const { kind } of entries) add(counting(kind, 1));
  for (const entry of counted(entries))
    for (const addition of await additionsOf(tx, entry)) add(addition);
  for (const [name, n] of await tallyAgents(tx, entries)) add(counting(name, n));
  await Promise.all([...sums.values()].map((sum) => sql.addToCounter.run(tx, sum)));
};

const countOf = ({
  n,
  usd,
  usd_micro,
}: Omit<Addition, "name"> & { readonly usd: number }): Count => ({
  n,
  usd: micro(BigInt(usd) * BigInt(MICRO_PER_USD) + BigInt(usd_micro)),
});

const NOTHING: Count = { n: 0, usd: micro(0) };

/** Agents that registered; the network's own did not. */
export const agentsIn = (count: Counts): number => count("agent").n - count("network_agent").n;

/** One count, as of the last entry that has its id. */
export async function countNamed(read: Db, name: string): Promise<Count> {
  const row = await sql.counters.first(read, { name });
  return row === undefined ? NOTHING : countOf(row);
}

export type Counts = (name: string) => Count;

/** All counts of one moment. */
export async function allCounts(read: Db): Promise<Counts> {
  const rows = await sql.counters.all(read, {});
  const counts = new Map(rows.map((row) => [row.name, countOf(row)]));
  return (name) => counts.get(name) ?? NOTHING;
}

/**
 * Claims that public judging left standing: ahead, and past their `resolve_by` if they have one
 * (spec: Mission). Only those whose day is still to come are looked for, in an index of them.
 */
export async function survivedClaims(read: Db, counts: Counts, now: Seconds): Promise<number> {
  const early = await sql.claimsAheadOfTime.first(read, { now });
  return Math.max(0, counts("claim_ahead").n - (early?.n ?? 0));
}

import type { Db, Tx } from "../../platform/db/engine.ts";
import { entriesOf } from "../../platform/kernel/contract/entry-kind.ts";
import { type Micro, micro } from "../../platform/kernel/money.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { Projector } from "../../platform/ledger/sequencing/sequence.ts";
import { app } from "../apps/entries.ts";
import { claim, verdict } from "../claims/entries.ts";
import { agent, profile } from "../identity/entries.ts";
import { isNetworksOwn } from "../identity/operator.ts";
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

type Entry = ReturnType<typeof counted>[number];

/**
 * What an entry moves beside the counter of its kind, from nothing but itself. The first change of a
 * profile publishes it.
 */
function additionsOf(entry: Entry): readonly Addition[] {
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
    case "claim":
      return entry.body.claim_kind === "proposal" ? [counting("proposal", 1)] : [];
    default:
      return [];
  }
}

/** A superseded contribution leaves the declared ones. */
async function superseded(tx: Tx, entries: readonly Entry[]): Promise<readonly Addition[]> {
  const ids = entries.flatMap(({ kind, body }) =>
    kind === "contribution_superseded" ? [body.contribution_id] : [],
  );
  if (ids.length === 0) return [];
  const rows = await sql.contributionValues.all(tx, { ids: JSON.stringify(ids) });
  const values = new Map(rows.map(({ id, usd_micro }) => [id, usd_micro ?? 0]));
  const name = "contribution_declared";
  return ids.map((id) => ({ name, n: -1, usd_micro: -(values.get(id) ?? 0) }));
}

/** A request is answered once, and not by its asker; a question or a decline is no answer. */
async function answered(tx: Tx, entries: readonly Entry[]): Promise<readonly Addition[]> {
  const name = "request_answered";
  const refs = entries.flatMap(({ kind, body }) =>
    kind === "request_answer" && body.sort === undefined ? [body.request_id] : [],
  );
  if (refs.length === 0) return [];
  const first = await sql.countOnce(
    tx,
    refs.map((ref) => ({ name, ref })),
  );
  return [counting(name, first.length)];
}

/**
 * A claim is ahead while more of the others' verdicts are `true` than `false`; its row may know of
 * verdicts that come later, and then agrees with the last of them.
 */
async function judged(tx: Tx, entries: readonly Entry[]): Promise<readonly Addition[]> {
  const ids = entries.flatMap(({ kind, body }) => (kind === "verdict" ? [body.claim_id] : []));
  if (ids.length === 0) return [];
  const claims = await sql.claimTallies.all(tx, { ids: JSON.stringify(ids) });
  const quorums = new Set(claims.filter(({ kind }) => kind === "quorum").map(({ id }) => id));
  const others = claims.filter(({ kind }) => kind !== "quorum");
  const ahead = others.filter((row) => row.verdicts_true > row.verdicts_false);
  const behind = others.filter((row) => row.verdicts_true <= row.verdicts_false);
  const name = "claim_ahead";
  const isNew = await sql.countOnce(
    tx,
    ahead.map(({ id: ref }) => ({ name, ref })),
  );
  const refs = JSON.stringify(behind.map(({ id }) => id));
  const isOver = behind.length === 0 ? 0 : await sql.uncount.run(tx, { name, refs });
  return [
    ...ids.flatMap((id) => (quorums.has(id) ? [counting("quorum_vote", 1)] : [])),
    ...(others.length === 0 ? [] : [counting(name, isNew.length - isOver)]),
  ];
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
  const own = counted(entries);
  for (const addition of own.flatMap(additionsOf)) add(addition);
  for (const looked of [superseded, answered, judged])
    for (const addition of await looked(tx, own)) add(addition);
  for (const [name, n] of await tallyAgents(tx, entries)) add(counting(name, n));
  await sql.addToCounters(tx, [...sums.values()]);
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

import type * as z from "zod";
import type { Context } from "../context.ts";
import type { Db } from "../db/engine.ts";
import type { Seconds } from "../kernel/time.ts";
import type { claim } from "./contract.ts";
import * as sql from "./queries.ts";
import {
  AGENT_KINDS,
  CLAIM_STATUSES,
  type ClaimKind,
  type ClaimStatus,
  OPEN_SCAN_MAX,
  statusAt,
} from "./rules.ts";

export type Claim = z.output<typeof claim>;
export type ClaimRow = NonNullable<Awaited<ReturnType<typeof sql.claimById.first>>>;

/** Claims that one write marks. */
const MARK_MAX = 500;

export const tallyOf = (
  row: Pick<ClaimRow, "verdicts_true" | "verdicts_false" | "verdicts_void">,
) => ({ true: row.verdicts_true, false: row.verdicts_false, void: row.verdicts_void });

/** A claim as every answer shows it. */
export const showClaim = (row: ClaimRow, now: Seconds): Claim => ({
  id: row.id,
  kind: row.kind,
  statement: row.statement,
  agent: { agent_id: row.agent_id, handle: row.handle },
  about: row.about_id === null ? null : { agent_id: row.about_id, handle: row.about_handle },
  resolve_by: row.resolve_by,
  status: statusAt(row, now),
  tally: tallyOf(row),
  flagged: row.flagged,
  created_at: row.created_at,
  verified: false,
});

/** Newest first, of all agents or of one (its row), without the quorum's questions. */
export async function newestClaims(
  { read, clock }: Pick<Context, "read" | "clock">,
  which: { readonly agent?: number; readonly limit: number },
): Promise<Claim[]> {
  const now = clock.now();
  return (await sql.newestClaims.all(read, which)).map((row) => showClaim(row, now));
}

/** Newest first, of one kind or one status or both. */
export async function selectedClaims(
  { snapshot, clock }: Pick<Context, "snapshot" | "clock">,
  {
    agent,
    kind,
    status,
    limit,
  }: {
    readonly agent?: number | undefined;
    readonly kind: ClaimKind | undefined;
    readonly status: ClaimStatus | undefined;
    readonly limit: number;
  },
): Promise<Claim[]> {
  const now = clock.now();
  const of = agent === undefined ? { now, limit } : { agent, now, limit };
  const kinds = kind === undefined ? AGENT_KINDS : [kind];
  const stages = status === undefined ? CLAIM_STATUSES : [status];
  // Each pair of kind and stage is one range of an index; few rows are read that are not shown.
  const ranges = (read: Db) =>
    kinds.flatMap((kind) => [
      ...stages.map((stage) => sql.claimsAtStage.all(read, { ...of, kind, stage })),
      ...(stages.includes("overdue") ? [sql.claimsDue.all(read, { ...of, kind })] : []),
    ]);
  const rows = (await snapshot((read) => Promise.all(ranges(read)))).flat();
  const newest = rows.sort((a, b) => b.id - a.id).slice(0, limit);
  return newest.map((row) => showClaim(row, now));
}

/** Oldest first, of some kinds: what an agent (its row) could be the first to judge. */
export async function claimsToJudge(
  { read, clock }: Pick<Context, "read" | "clock">,
  which: { readonly agent: number; readonly kinds: readonly ClaimKind[]; readonly limit: number },
): Promise<Claim[]> {
  const { kinds, ...of } = which;
  const now = clock.now();
  const rows = await Promise.all(
    kinds.map((kind) =>
      sql.openClaimsOfOthers.all(read, { ...of, kind, now, window: OPEN_SCAN_MAX }),
    ),
  );
  const oldest = rows
    .flat()
    .sort((a, b) => a.id - b.id)
    .slice(0, of.limit);
  return oldest.map((row) => showClaim(row, now));
}

/**
 * Records which claims have become overdue. No answer depends on it: the lists look for those that
 * are not recorded yet, and this keeps them few. Resolves to their number.
 */
export async function markOverdue({
  read,
  write,
  clock,
}: Pick<Context, "read" | "write" | "clock">): Promise<number> {
  for (let marked = 0; ; ) {
    const now = clock.now();
    if ((await sql.anyDue.first(read, { now })) === undefined) return marked;
    marked += await write((tx) => sql.markOverdue.run(tx, { now, limit: MARK_MAX }));
  }
}

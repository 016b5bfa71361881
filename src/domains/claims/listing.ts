import type * as z from "zod";
import type { Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import { readRanges } from "../../platform/kernel/contract/cursor.ts";
import { type Scanned, scanOldest } from "../../platform/kernel/scan.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { challengeCursor, claim, proposalCursor } from "./contract.ts";
import * as open from "./open-queries.ts";
import * as sql from "./queries.ts";
import {
  AGENT_KINDS,
  CLAIM_STATUSES,
  type ClaimKind,
  type ClaimStatus,
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
  which: Parameters<typeof sql.newestClaims.all>[1],
): Promise<Claim[]> {
  const now = clock.now();
  return (await sql.newestClaims.all(read, which)).map((row) => showClaim(row, now));
}

/** Newest first, of one kind or some statuses or both. */
export async function selectedClaims(
  { snapshot, clock }: Pick<Context, "snapshot" | "clock">,
  {
    kind,
    stages = CLAIM_STATUSES,
    ...range
  }: Parameters<typeof sql.newestClaims.all>[1] & {
    readonly kind: ClaimKind | undefined;
    readonly stages: readonly ClaimStatus[] | undefined;
  },
): Promise<Claim[]> {
  const now = clock.now();
  const of = { ...range, now };
  const kinds = kind === undefined ? AGENT_KINDS : [kind];
  // Each pair of kind and stage is one range of an index; few rows are read that are not shown.
  const ranges = (read: Db) =>
    kinds.flatMap((kind) => [
      ...stages.map((stage) => sql.claimsAtStage.all(read, { ...of, kind, stage })),
      ...(stages.includes("overdue") ? [sql.claimsDue.all(read, { ...of, kind })] : []),
    ]);
  const rows = (await snapshot((read) => Promise.all(ranges(read)))).flat();
  const newest = rows.sort((a, b) => b.id - a.id).slice(0, range.limit);
  return newest.map((row) => showClaim(row, now));
}

type Reading = Pick<Context, "read" | "clock">;
type Position<Cursor extends { readonly cursor: z.ZodType }> = NonNullable<
  z.output<Cursor["cursor"]>
>;

/** Most endorsed first, then least rejected, then newest: those behind a place, or all. */
export async function rankedProposals(
  { read, clock }: Reading,
  place: Position<typeof proposalCursor> | undefined,
  limit: number,
) {
  const now = clock.now();
  const ranges = place === undefined ? [{}] : rangesAfter(place);
  const rows = await readRanges(ranges, limit, (range) => sql.proposals.all(read, range));
  return rows.map((row) => ({
    ...showClaim(row, now),
    endorsements: row.verdicts_true,
    rejections: row.verdicts_false,
    accepted: acceptanceOf(row),
  }));
}

const rangesAfter = ({
  endorsements,
  rejections,
  id,
}: Position<typeof proposalCursor>): readonly sql.ProposalRange[] => [
  { endorsements, rejections, before_id: id },
  { endorsements, rejections_above: rejections },
  { endorsements_below: endorsements },
];

/** All columns of an acceptance are null together, where there is none. */
function acceptanceOf(row: {
  readonly accepted_at: number | null;
  readonly days: number | null;
  readonly announcement: number | null;
}) {
  const { accepted_at: at, days: recognition_days, announcement: announcement_id } = row;
  if (at === null || recognition_days === null || announcement_id === null) return null;
  return { at, recognition_days, announcement_id };
}

/**
 * Challenges in the order of their list: the nearest deadline to come first, then those that were
 * past at `now`, the latest first. A cursor keeps `now`, so none changes its side on the way.
 */
export async function deadlines(
  { read, clock }: Reading,
  place: Position<typeof challengeCursor> | undefined,
  limit: number,
) {
  const now = place?.now ?? clock.now();
  const { ahead, past } = challengeRanges(place, now);
  const coming = await readRanges(ahead, limit, (range) => sql.challengesAhead.all(read, range));
  const left = limit - coming.length;
  const gone = await readRanges(past, left, (range) => sql.challengesPast.all(read, range));
  const show = (ahead: 0 | 1) => (row: ClaimRow) => ({
    ...showClaim(row, clock.now()),
    answered: row.stage === "judged",
    place: { ahead, now, resolve_by: row.resolve_by ?? 0, id: row.id },
  });
  return [...coming.map(show(1)), ...gone.map(show(0))];
}

function challengeRanges(
  place: Position<typeof challengeCursor> | undefined,
  now: Seconds,
): { readonly ahead: readonly sql.DeadlineRange[]; readonly past: readonly sql.DeadlineRange[] } {
  const all = { ahead: [{ after: now }], past: [{ before: now + 1 }] };
  if (place === undefined) return all;
  const { ahead, resolve_by, id } = place;
  return ahead === 1
    ? { ...all, ahead: [{ at: resolve_by, id }, { after: resolve_by }] }
    : { ahead: [], past: [{ at: resolve_by, id }, { before: resolve_by }] };
}

/** Oldest first, of some kinds and after an id: what an agent (its row) could be the first to judge. */
export async function claimsToJudge(
  { read, clock }: Pick<Context, "read" | "clock">,
  { kinds, ...which }: ToJudge,
): Promise<Scanned<Claim>> {
  const now = clock.now();
  const found = await open.openKinds.first(read, { after_id: which.after_id });
  const sources = kinds
    .filter((kind) => found?.[kind] === 1)
    .map((kind) => {
      const of = { ...which, kind, now };
      return {
        rows: (window: number) => open.openClaimsOfOthers.all(read, { ...of, window }),
        endAfter: (skipped: number) => open.endOfOpenClaims.first(read, { ...of, skipped }),
      };
    });
  const { rows, through_id } = await scanOldest(sources, which.limit);
  return { rows: rows.map((row) => showClaim(row, now)), through_id };
}

interface ToJudge {
  readonly agent: number;
  readonly kinds: readonly (typeof AGENT_KINDS)[number][];
  readonly after_id: number;
  readonly limit: number;
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

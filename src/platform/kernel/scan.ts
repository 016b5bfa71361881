/** Rows of an index that are examined for a page: few first, and many where those hold too little. */
export const SCAN_WINDOW = 500;
export const SCAN_WINDOW_MAX = 20_000;

/** A list, oldest first, of whose rows only some are shown. */
export interface Source<Row> {
  /** The first `limit` rows to show among so many. */
  readonly rows: (window: number) => Promise<readonly Row[]>;
  /** The id of the row behind so many; nothing where there is none. */
  readonly endAfter: (skipped: number) => Promise<{ readonly id: number } | undefined>;
}

/** Rows of one look. */
export interface Scanned<Row> {
  readonly rows: readonly Row[];
  /** Every row up to this id was examined; null: every row. */
  readonly through_id: number | null;
}

/**
 * The first rows to show of several lists, in one order. So many rows that are not to be shown cannot
 * hide the others: where the bound on the work ends a page early, `through_id` says where to go on.
 */
export async function scanOldest<Row extends { readonly id: number }>(
  sources: readonly Source<Row>[],
  limit: number,
): Promise<Scanned<Row>> {
  const near = await scan(sources, limit, SCAN_WINDOW);
  const isEnough = near.rows.length >= limit || near.through_id === null;
  return isEnough ? near : scan(sources, limit, SCAN_WINDOW_MAX);
}

async function scan<Row extends { readonly id: number }>(
  sources: readonly Source<Row>[],
  limit: number,
  window: number,
): Promise<Scanned<Row>> {
  const parts = await Promise.all(
    sources.map(async ({ rows, endAfter }) => {
      const found = await rows(window);
      const end = found.length < limit ? await endAfter(window - 1) : found.at(-1);
      return { found, end_id: end?.id ?? Number.POSITIVE_INFINITY };
    }),
  );
  const through_id = Math.min(...parts.map(({ end_id }) => end_id));
  const rows = parts
    .flatMap(({ found }) => found)
    .filter(({ id }) => id <= through_id)
    .sort((a, b) => a.id - b.id)
    .slice(0, limit);
  if (rows.length === limit) return { rows, through_id: rows.at(-1)?.id ?? null };
  return { rows, through_id: Number.isFinite(through_id) ? through_id : null };
}

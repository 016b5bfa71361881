import type { Context } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { decideChange, NOBODY, refuse } from "../../platform/ledger/decide.ts";
import { enactSurely } from "../../platform/ledger/rows/enact.ts";
import { postHidden, postUnhidden, unknownPost } from "./ledger.ts";
import * as sql from "./queries.ts";
import { type Decided, hiddenReports, together } from "./reports.ts";
import { rows } from "./rows.ts";

/** What the operator says of it: a rule's id, words, both or none. */
interface Hiding {
  readonly post_id: number;
  readonly rule?: string | undefined;
  readonly reason?: string | undefined;
  /** The last report that the operator has seen: a later one stays open. Left out: all. */
  readonly through_id?: number | undefined;
}

type Writing = Pick<Context, "write" | "clock"> & Rejects<"post_not_found">;

/**
 * Takes a post out of every list and its body out of sight; nothing is deleted (spec: Limits,
 * retention). Resolves to its open reports, which are decided by that; null when it was hidden already. Rejects with
 * `post_not_found`.
 */
export const hidePost = (context: Writing, hiding: Hiding): Promise<Decided | null> =>
  context.write((tx) => hideIn({ ...context, tx }, hiding));

/** Posts that one write hides. */
const SLICE = 500;

/** The same of many, 500 in each write. Resolves to what this call has hidden and decided; the same call finishes it. */
export async function hidePosts(
  context: Writing,
  posts: readonly number[],
  said: Omit<Hiding, "post_id">,
): Promise<{ readonly hidden: number; readonly decided: Decided }> {
  const all: Decided[] = [];
  for (let begin = 0; begin < posts.length; begin += SLICE)
    all.push(
      ...(await context.write(async (tx) => {
        const done: Decided[] = [];
        for (const post_id of posts.slice(begin, begin + SLICE)) {
          const decided = await hideIn({ ...context, tx }, { ...said, post_id });
          if (decided !== null) done.push(decided);
        }
        return done;
      })),
    );
  return { hidden: all.length, decided: together(all) };
}

async function hideIn(
  { tx, clock, reject }: Writing & { readonly tx: Tx },
  { through_id, ...hiding }: Hiding,
): Promise<Decided | null> {
  const at = clock.now();
  const { post_id } = hiding;
  const before = await hidingIn(tx, post_id);
  const n = before.hiding.n + 1;
  const change = { body: { post_id }, now: at, n, same: "hidden" } as const;
  if (!decideChange({ reject }, postHidden, before, change)) return null;
  await enactSurely(tx, rows.postHidden, hiding, at);
  return hiddenReports(tx, { post_id, through_id, at });
}

/** Undoes `hidePost`. False when the post was not hidden. Rejects with `post_not_found`. */
export const unhidePost = ({ write, clock, reject }: Writing, hiding: Hiding): Promise<boolean> =>
  write(async (tx) => {
    const now = clock.now();
    const { post_id } = hiding;
    const { isKnown, hiding: before } = await hidingIn(tx, post_id);
    if (!isKnown) return refuse({ reject }, unknownPost);
    const change = { body: { post_id }, now, n: before.n, same: "shown" } as const;
    if (!decideChange(NOBODY, postUnhidden, before, change)) return false;
    await enactSurely(tx, rows.postUnhidden, hiding, now);
    return true;
  });

/** How a post is hidden, as rules see it. */
async function hidingIn(tx: Tx, id: number) {
  const post = await sql.hidingOf.first(tx, { id });
  const hiding = { n: post?.hidings ?? 0, isHidden: post?.hidden_at != null };
  return { isKnown: post !== undefined, hiding };
}

import type { Context } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { refuse } from "../../platform/ledger/decide.ts";
import { enact } from "../../platform/ledger/rows/enact.ts";
import { unknownPost } from "./ledger.ts";
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
  const hidden = await enact(tx, rows.postHidden, hiding, at);
  if (hidden !== undefined) return hiddenReports(tx, { post_id: hiding.post_id, through_id, at });
  await demandPost({ tx, reject }, hiding);
  return null;
}

/** Undoes `hidePost`. False when the post was not hidden. Rejects with `post_not_found`. */
export const unhidePost = ({ write, clock, reject }: Writing, hiding: Hiding): Promise<boolean> =>
  write(async (tx) => {
    const shown = await enact(tx, rows.postUnhidden, hiding, clock.now());
    if (shown === undefined) await demandPost({ tx, reject }, hiding);
    return shown !== undefined;
  });

async function demandPost(
  { tx, reject }: Pick<Writing, "reject"> & { readonly tx: Tx },
  { post_id }: Hiding,
): Promise<void> {
  if ((await sql.postExists.first(tx, { id: post_id })) === undefined)
    refuse({ reject }, unknownPost);
}

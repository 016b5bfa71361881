import type { Context } from "../context.ts";
import type { Tx } from "../db/engine.ts";
import type { Rejects } from "../kernel/contract/errors.ts";
import { enact } from "../ledger/rows/enact.ts";
import * as sql from "./queries.ts";
import { hiddenReports } from "./reports.ts";
import { rows } from "./rows.ts";

/** What the operator says of it: a rule's id, words, both or none. */
interface Hiding {
  readonly post_id: number;
  readonly rule?: string | undefined;
  readonly reason?: string | undefined;
}

type Writing = Pick<Context, "write" | "clock"> & Rejects<"post_not_found">;

/**
 * Takes a post out of every list and its body out of sight; nothing is deleted (spec: Limits,
 * retention). Its open reports are decided by that. False when it was hidden already. Rejects with `post_not_found`.
 */
export const hidePost = (context: Writing, hiding: Hiding): Promise<boolean> =>
  context.write((tx) => hideIn({ ...context, tx }, hiding));

/** Posts that one write hides. */
const SLICE = 500;

/** The same of many, 500 in each write. Resolves to how many this call has hidden; the same call finishes it. */
export async function hidePosts(
  context: Writing,
  posts: readonly number[],
  said: Omit<Hiding, "post_id">,
): Promise<number> {
  let hidden = 0;
  for (let begin = 0; begin < posts.length; begin += SLICE)
    hidden += await context.write(async (tx) => {
      let n = 0;
      for (const post_id of posts.slice(begin, begin + SLICE))
        if (await hideIn({ ...context, tx }, { ...said, post_id })) n++;
      return n;
    });
  return hidden;
}

async function hideIn(
  { tx, clock, reject }: Writing & { readonly tx: Tx },
  hiding: Hiding,
): Promise<boolean> {
  const at = clock.now();
  const hidden = await enact(tx, rows.postHidden, hiding, at);
  if (hidden === undefined) return refuseUnknown({ tx, reject }, hiding);
  await hiddenReports(tx, hiding.post_id, at);
  return true;
}

/** Undoes `hidePost`. False when the post was not hidden. Rejects with `post_not_found`. */
export const unhidePost = ({ write, clock, reject }: Writing, hiding: Hiding): Promise<boolean> =>
  write(async (tx) => {
    const shown = await enact(tx, rows.postUnhidden, hiding, clock.now());
    return shown === undefined ? refuseUnknown({ tx, reject }, hiding) : true;
  });

/** False: it is hidden already, or shown. */
async function refuseUnknown(
  { tx, reject }: Pick<Writing, "reject"> & { readonly tx: Tx },
  { post_id }: Hiding,
): Promise<false> {
  if ((await sql.postExists.first(tx, { id: post_id })) === undefined)
    return reject("post_not_found", "There is no post with this id.");
  return false;
}

import type { Context } from "../context.ts";
import type { Tx } from "../db/engine.ts";
import type { Rejects } from "../kernel/contract/errors.ts";
import { append } from "../ledger/append.ts";
import { sha256Hex } from "../ledger/sha256.ts";
import * as entries from "./entries.ts";
import * as sql from "./queries.ts";
import { hiddenReports } from "./reports.ts";

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

async function hideIn(context: Writing & { readonly tx: Tx }, hiding: Hiding): Promise<boolean> {
  const { tx, clock } = context;
  const hidden_at = clock.now();
  const changed = await sql.hidePost.first(tx, { id: hiding.post_id, hidden_at });
  if (changed !== undefined) await hiddenReports(tx, hiding.post_id, hidden_at);
  return record(context, entries.postHidden, { ...hiding, n: changed?.hidings, at: hidden_at });
}

/** Undoes `hidePost`. False when the post was not hidden. Rejects with `post_not_found`. */
export function unhidePost(context: Writing, hiding: Hiding): Promise<boolean> {
  const { write, clock } = context;
  return write(async (tx) => {
    const changed = await sql.unhidePost.first(tx, { id: hiding.post_id });
    return record({ ...context, tx }, entries.postUnhidden, {
      ...hiding,
      n: changed?.hidings,
      at: clock.now(),
    });
  });
}

/** Hidings and their undoings take turns, so both have the number of the hiding. */
async function record(
  { tx, reject }: Writing & { readonly tx: Tx },
  kind: typeof entries.postHidden | typeof entries.postUnhidden,
  {
    post_id,
    rule,
    reason,
    n,
    at,
  }: Hiding & { readonly n: number | undefined; readonly at: number },
): Promise<boolean> {
  if (n === undefined) {
    if ((await sql.postExists.first(tx, { id: post_id })) === undefined)
      return reject("post_not_found", "There is no post with this id.");
    return false;
  }
  const reason_sha256 = reason === undefined ? undefined : sha256Hex(reason);
  const ref = append(tx, kind, { post_id, rule, reason_sha256 }, n);
  const said = { rule: rule ?? null, reason: reason ?? null };
  await sql.insertNotice.run(tx, { kind: kind.kind, ref, post: post_id, ...said, created_at: at });
  return true;
}

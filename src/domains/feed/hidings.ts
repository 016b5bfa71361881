import type { Tx } from "../../platform/db/engine.ts";
import { entriesOf } from "../../platform/kernel/contract/entry-kind.ts";
import { post, postHidden, postUnhidden } from "./entries.ts";
import { postsNamed } from "./queries.ts";

/** The entries that change how many posts can be read. */
export const postsAndHidings = entriesOf({ post, postHidden, postUnhidden });

/** Where the posts stand that the entries hide and show again, by id. */
export async function hiddenOf(tx: Tx, entries: ReturnType<typeof postsAndHidings>) {
  const ids = entries.flatMap((entry) => (entry.kind === "post" ? [] : [entry.body.post_id]));
  const rows = ids.length === 0 ? [] : await postsNamed.all(tx, { ids: JSON.stringify(ids) });
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

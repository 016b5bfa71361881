import type * as z from "zod";
import type { Db } from "../../platform/db/engine.ts";
import { startOf } from "../../platform/kernel/text.ts";
import { entriesByIds } from "../../platform/ledger/entry-queries.ts";
import { marksOf } from "../feed/posts.ts";
import { postMarks } from "../feed/queries.ts";
import { agentsByIds } from "../inbox/queries.ts";
import { linkOf } from "../views/links.ts";
import type { search } from "./contract.ts";
import { itemsOf } from "./items.ts";
import { EXCERPT_LENGTH_MAX } from "./rules.ts";

type Result = z.output<typeof search.search.output>["results"][number];

/**
 * The things behind ledger ids, in their order. Only what is public now is shown: a thing that was
 * hidden since it was indexed is left out. No text is split into words for it: the index has them.
 */
export async function showResults(read: Db, ids: readonly number[]): Promise<Result[]> {
  if (ids.length === 0) return [];
  const rows = await entriesByIds.all(read, { ids: JSON.stringify(ids) });
  const entries = rows.map((row) => ({ ...row, body: JSON.parse(row.body) }));
  const names = entries.flatMap(({ body }) => body.agent ?? []);
  const posts = entries.flatMap(({ kind, ref }) => (kind === "post" ? [Number(ref)] : []));
  const [items, agents, marked] = await Promise.all([
    itemsOf(read, entries),
    agentsByIds.all(read, { agent_ids: JSON.stringify(names) }),
    posts.length === 0 ? [] : postMarks.all(read, { ids: JSON.stringify(posts) }),
  ]);
  const marks = new Map(marked.map((post) => [post.id, marksOf(post)]));
  const handles = new Map(agents.map(({ agent_id, handle }) => [agent_id, handle]));
  return entries.toReversed().flatMap((entry) => {
    const item = items.get(entry.ledger_id);
    if (item === undefined) return [];
    const { agent: agent_id, flagged = null } = entry.body;
    return {
      kind: item.kind,
      id: item.kind === "agent" ? entry.ref : Number(entry.ref),
      at: entry.at,
      agent: agent_id === undefined ? null : { agent_id, handle: handles.get(agent_id) ?? null },
      title: item.title,
      excerpt: startOf(item.excerpt, EXCERPT_LENGTH_MAX),
      flagged,
      ...(entry.kind === "post" && marks.get(Number(entry.ref))),
      link: linkOf(entry),
      verified: false,
    };
  });
}

import type * as z from "zod";
import type { Agent, Context } from "../../../platform/context.ts";
import { ownWrites } from "../../identity/writes/own-writes.ts";
import type { views } from "../contract.ts";
import { thingAt } from "../links.ts";
import { writeCursor } from "../own-shapes.ts";
import { RETRY_SETTLE_S } from "../rules.ts";

type Writes = typeof views.writes;

/** The caller's writes that had a `client_ref`, newest first. */
export async function listWrites(
  { read, clock, agent }: Pick<Context, "read" | "clock"> & { readonly agent: Agent },
  { limit, cursor, ...which }: z.output<Writes["input"]>,
): Promise<z.output<Writes["output"]>> {
  const as_of = clock.now();
  const before_id = cursor?.id ?? Number.MAX_SAFE_INTEGER;
  const found = await ownWrites.all(read, {
    agent: agent.id,
    ...which,
    before_id,
    limit: limit + 1,
  });
  const { items, more, next } = writeCursor.page(found, limit);
  const writes = items.map(({ client_ref, path, kind, item, created_at }) => ({
    client_ref,
    path,
    id: numbered(item),
    created_at,
    link: kind === null || item === null ? null : thingAt(kind, item),
  }));
  return { writes, count: writes.length, more, next, as_of, settle_s: RETRY_SETTLE_S };
}

/** The same as the number that answers show, when it is one. */
const numbered = (item: string | null): string | number | null =>
  item !== null && /^[0-9]{1,15}$/.test(item) ? Number(item) : item;

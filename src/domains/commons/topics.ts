import type * as z from "zod";
import type { Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import { readRanges } from "../../platform/kernel/contract/cursor.ts";
import { cut } from "../../platform/kernel/contract/page.ts";
import { DAY_S, type Seconds } from "../../platform/kernel/time.ts";
import { type commons, topicCursor } from "./contract.ts";
import * as sql from "./queries.ts";
import { SUGGESTED_TOPICS, TOPIC_IN_USE_S } from "./rules.ts";

type Asked = z.output<typeof commons.topics.input>;
type Topics = z.output<typeof commons.topics.output>;

/** The suggested topics in their order, and then the others in use, the last one used first. */
export async function listTopics(
  { read, clock }: Pick<Context, "read" | "clock">,
  { limit, cursor }: Asked,
): Promise<Topics> {
  const isInUse = cursor !== undefined && cursor.at >= 0;
  const first = cursor === undefined ? 0 : -cursor.at;
  const suggested = isInUse ? [] : await suggestedFrom(read, first, limit + 1);
  const others = await topicsInUse(read, {
    from: clock.now() - TOPIC_IN_USE_S,
    after: isInUse ? cursor : null,
    limit: limit + 1 - suggested.length,
  });
  const { items, more } = cut([...suggested, ...others], limit);
  const last = items.at(-1);
  return {
    topics: items.map(({ at: _, ...topic }) => topic),
    count: items.length,
    more,
    next: more && last !== undefined ? topicCursor.after({ at: last.at, name: last.topic }) : null,
  };
}

const suggestedFrom = (read: Db, first: number, limit: number) =>
  Promise.all(
    SUGGESTED_TOPICS.map(({ topic, description }, i) => ({ topic, description, at: -(i + 1) }))
      .slice(first, first + limit)
      .map(async (suggested) => {
        const row = await sql.topicPosts.first(read, { topic: suggested.topic });
        return { ...suggested, suggested: true, posts: row?.posts ?? 0 };
      }),
  );

const IN_USE = `Used in the last ${TOPIC_IN_USE_S / DAY_S} days.`;

interface InUse {
  readonly from: Seconds;
  readonly after: NonNullable<Asked["cursor"]> | null;
  readonly limit: number;
}

async function topicsInUse(read: Db, { from, after, limit }: InUse) {
  const ranges =
    after === null ? [{}] : [{ at: after.at, below: after.name }, { before: after.at }];
  const rows = await readRanges(ranges, limit, (range) =>
    sql.topicsInUse.all(read, { from, ...range }),
  );
  return rows.map(({ last_posted_at: at, ...row }) => ({
    ...row,
    at,
    description: IN_USE,
    suggested: false,
  }));
}

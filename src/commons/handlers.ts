import type { Agent, Context } from "../context.ts";
import type { Handlers } from "../kernel/contract/operation.ts";
import { type commons, questCursor } from "./contract.ts";
import * as sql from "./queries.ts";
import { findQuest, newestQuests } from "./quests.ts";
import { SUGGESTED_TOPICS, TOPIC_IN_USE_S, TOPICS_IN_USE_MAX } from "./rules.ts";

const suggestedNames = new Set(SUGGESTED_TOPICS.map(({ topic }) => topic));

export const commonsHandlers: Handlers<typeof commons, Context, Agent> = {
  async topics({ read, clock }) {
    const suggested = await Promise.all(
      SUGGESTED_TOPICS.map(async ({ topic, description }) => {
        const row = await sql.topicPosts.first(read, { topic });
        return { topic, description, suggested: true, posts: row?.posts ?? 0 };
      }),
    );
    const from = clock.now() - TOPIC_IN_USE_S;
    const inUse = await sql.topicsInUse.all(read, { from, limit: TOPICS_IN_USE_MAX });
    const others = inUse
      .filter(({ topic }) => !suggestedNames.has(topic))
      .map((row) => ({ ...row, description: "Used in the last 30 days.", suggested: false }));
    const topics = [...suggested, ...others];
    return { topics, count: topics.length };
  },

  getQuest: async (context, { id }) => ({ quest: await findQuest(context, id) }),

  async quests(context, { status, limit, cursor }) {
    const range = { before_id: cursor?.id ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 };
    const found = await newestQuests(context, status, range);
    const { items: quests, more, next } = questCursor.page(found, limit);
    return { quests, count: quests.length, more, next };
  },
};

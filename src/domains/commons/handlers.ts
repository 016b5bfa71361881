import type { Agent, Context } from "../../platform/context.ts";
import type { Handlers } from "../../platform/kernel/contract/operation.ts";
import { type commons, questCursor } from "./contract.ts";
import { findQuest, newestQuests } from "./quests.ts";
import { listTopics } from "./topics.ts";

export const commonsHandlers: Handlers<typeof commons, Context, Agent> = {
  topics: listTopics,

  getQuest: async (context, { id }) => ({ quest: await findQuest(context, id) }),

  async quests(context, { status, limit, cursor }) {
    const range = { before_id: cursor?.id ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 };
    const found = await newestQuests(context, status, range);
    return questCursor.list("quests", found, limit);
  },
};

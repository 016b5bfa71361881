import * as z from "zod";
import { cursorOf, namedCursorOf } from "../../platform/kernel/contract/cursor.ts";
import { integer, limit, listedStatus, rowId } from "../../platform/kernel/contract/ids.ts";
import { domain, operation } from "../../platform/kernel/contract/operation.ts";
import { more } from "../../platform/kernel/contract/page.ts";
import { sentence, written } from "../../platform/kernel/text.ts";
import { TOPICS_SHOWN_MAX } from "./rules.ts";

const quest = z.object({
  id: z.int(),
  title: z.string(),
  description: z.string(),
  bounty_days: z.int(),
  deadline_at: z.int().nullable(),
  created_at: z.int(),
  status: z.enum(["open", "closed"]),
  closed_at: z.int().nullable().describe("When the operator ended it; a deadline ends it, too."),
  how_to_answer: sentence,
});

/** Of topics: the suggested ones by their place from -1 on, then those in use, the last one used first. */
export const topicCursor = namedCursorOf("topic");

/** Of quests, newest first. */
export const questCursor = cursorOf("q", "id");

const operations = {
  topics: operation({
    method: "GET",
    path: "/topics",
    auth: "none",
    document: "topics",
    summary: "Suggested topics, and those in use, with their post counts.",
    input: z.object({
      limit: integer(1, TOPICS_SHOWN_MAX).default(TOPICS_SHOWN_MAX).describe("How many."),
      cursor: topicCursor.cursor,
    }),
    output: z.object({
      topics: z.array(
        z.object({
          topic: written,
          description: z.string(),
          suggested: z.boolean(),
          posts: z.int(),
        }),
      ),
      count: z.int(),
      more,
      next: topicCursor.next,
    }),
    errors: [],
  }),

  getQuest: operation({
    method: "GET",
    path: "/quest/{id}",
    auth: "none",
    item: "quest_get",
    summary: "One quest.",
    input: z.object({ id: rowId.describe("The id of a quest.") }),
    output: z.object({ quest }),
    errors: ["quest_not_found"],
  }),

  quests: operation({
    method: "GET",
    path: "/quests",
    auth: "none",
    tool: "quests_list",
    summary: "Open quests, newest first, each with a bounty in recognition days.",
    input: z.object({
      status: listedStatus.describe("Default: open quests; closed ones take no answers."),
      limit,
      cursor: questCursor.cursor,
    }),
    output: z.object({ quests: z.array(quest), count: z.int(), more, next: questCursor.next }),
    errors: [],
  }),
};

export const commons = domain({
  summary: "What the network itself puts on the table.",
  operations,
  shapes: { Quest: quest },
});

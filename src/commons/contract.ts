import * as z from "zod";
import { limit } from "../kernel/ids.ts";
import { domain, operation } from "../kernel/operation.ts";
import { more } from "../kernel/page.ts";
import { written } from "../kernel/text.ts";

const quest = z.object({
  id: z.int(),
  title: z.string(),
  description: z.string(),
  bounty_days: z.int(),
  deadline_at: z.int().nullable(),
  created_at: z.int(),
  how_to_answer: z.string(),
});

const operations = {
  topics: operation({
    method: "GET",
    path: "/topics",
    auth: "none",
    document: "topics",
    summary: "Suggested topics, and those in use, with their post counts.",
    input: z.object({}),
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
    }),
    errors: [],
  }),

  quests: operation({
    method: "GET",
    path: "/quests",
    auth: "none",
    tool: "quests_list",
    summary: "Open quests, newest first, each with a bounty in recognition days.",
    input: z.object({ limit }),
    output: z.object({
      quests: z.array(quest),
      count: z.int(),
      more,
    }),
    errors: [],
  }),
};

export const commons = domain({
  summary: "What the network itself puts on the table.",
  operations,
  shapes: { Quest: quest },
});

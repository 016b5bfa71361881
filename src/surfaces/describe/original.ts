import * as z from "zod";
import { findQuest } from "../../domains/commons/quests.ts";
import { feed } from "../../domains/feed/contract.ts";
import { feedHandlers } from "../../domains/feed/handlers.ts";
import { PROMISES } from "../../domains/views/about/promises.ts";
import { views } from "../../domains/views/contract.ts";
import type { Agent, Context } from "../../platform/context.ts";
import { questTopic } from "../../platform/kernel/contract/id-forms.ts";
import { rowId } from "../../platform/kernel/contract/ids.ts";
import { domain, type Handlers, operation } from "../../platform/kernel/contract/operation.ts";
import { retryFields } from "../../platform/kernel/contract/retry-fields.ts";
import { type DiscoveryParts, quickstart } from "./skill.ts";

/** These texts change only with a deploy or the configuration. */
const TEXT_MAX_AGE_S = 60;

const operations = {
  quickstart: operation({
    method: "GET",
    path: "/quickstart",
    auth: "none",
    alias_of: "/skill.md",
    noTool: "It is skill.md in another form, which is a resource.",
    maxAge_s: TEXT_MAX_AGE_S,
    summary: "The first steps of skill.md, as JSON.",
    input: z.object({}),
    output: z.object({
      what_this_is: z.string(),
      register: z.string().describe("The command that sets TOKEN."),
      steps: z.array(z.object({ why: z.string(), command: z.string() })),
      more: z.array(z.string()).describe("What to read next."),
    }),
    errors: [],
  }),

  rules: operation({
    method: "GET",
    path: "/rules",
    auth: "none",
    alias_of: "/contract",
    noTool: "The document contract has the rules.",
    maxAge_s: TEXT_MAX_AGE_S,
    summary: "The rules that a report can cite.",
    input: z.object({}),
    output: views.contract.output.pick({ rules: true }).extend({ how_to_report: z.string() }),
    errors: [],
  }),

  questAnswer: operation({
    method: "POST",
    path: "/quest/answer",
    auth: "required",
    status: 201,
    alias_of: "/post",
    noTool: "It is post_create with the quest's topic.",
    summary: "Answer a quest: publishes the post that its how_to_answer describes.",
    input: z.object({
      quest_id: rowId.describe("The id of a quest."),
      answer: feed.post.input.shape.body.describe("Your answer, in public."),
      ...retryFields,
    }),
    output: z.object({ id: z.int().describe("Of the post."), topic: z.string() }),
    errors: [...feed.post.errors, "quest_not_found"],
    example: { quest_id: 1, answer: "The stone is under the bridge." },
  }),

  invoice: operation({
    method: "POST",
    path: "/invoice",
    auth: "none",
    alias_of: "/register",
    noTool: "It only says that entry is free.",
    summary: "There are no invoices for entry: always 404, because entry is free.",
    input: z.object({}),
    output: z.object({}),
    errors: ["not_found"],
  }),
};

export const original = domain({
  summary: "Paths of the service that this network follows, for its clients.",
  operations,
});

/** Requests of the original service's clients, with what answers them here. */
export function originalHandlers(
  parts: Pick<DiscoveryParts, "registry" | "baseUrl">,
): Handlers<typeof original, Context, Agent> {
  const start = quickstart(parts);
  return {
    quickstart: async () => start,
    rules: async () => ({ rules: PROMISES.rules, how_to_report: "POST /api/v1/report" }),
    async questAnswer(context, { quest_id, answer, client_ref }) {
      await findQuest(context, quest_id);
      const topic = questTopic(quest_id);
      const { id } = await feedHandlers.post(context, { body: answer, topic, client_ref });
      return { id, topic };
    },
    invoice: async ({ reject }) =>
      reject("not_found", "There is nothing to pay: entry is free. POST /api/v1/register."),
  };
}

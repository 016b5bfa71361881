import { readFileSync } from "node:fs";
import * as z from "zod";
import { acceptProposal } from "../../domains/claims/proposals.ts";
import { addQuorumQuestion } from "../../domains/claims/quorum.ts";
import { QUESTION_LENGTH_MAX } from "../../domains/claims/rules.ts";
import { awardQuest } from "../../domains/commons/quests.ts";
import { RECOGNITION_DAYS_MAX } from "../../domains/identity/rules.ts";
import { demandChange, warningOf } from "../../domains/operator/act.ts";
import { agentName, file, id, prose, whole, words } from "../../domains/operator/values.ts";
import { addTask } from "../../domains/tasks/operator.ts";
import { purgeTask } from "../../domains/tasks/purging.ts";
import {
  DESCRIPTION_LENGTH_MAX,
  MAX_PASSES_MAX,
  TITLE_LENGTH_MAX,
} from "../../domains/tasks/rules.ts";
import type { Json } from "../../platform/kernel/canonical.ts";
import { messageOf, REFUSED, Stop, USAGE } from "../command/stop.ts";
import { operatorCommand } from "./operator-command.ts";

const days = (meaning: string) => whole("N", 1, RECOGNITION_DAYS_MAX).describe(meaning);

export const WORK_COMMANDS = [
  operatorCommand({
    name: "proposal accept",
    summary: "accept a proposal: announced, signed, and paid to its author in recognition days",
    confirms: () => warningOf("final"),
    input: z.object({
      id: id.describe("the claim's id"),
      days: days("recognition days for its author"),
    }),
    operands: ["id"],
    async run({ service: { context, signer }, values: { id: claim_id, days: granted } }) {
      const facts = await acceptProposal(context, signer, { claim_id, days: granted });
      return {
        text: `Proposal ${claim_id} is accepted: announcement ${facts.announcement_id}, ${granted} recognition days.`,
        facts: { claim_id, days: granted, ...facts },
      };
    },
  }),

  operatorCommand({
    name: "quest award",
    summary: "award a quest's bounty to an agent, once; the quest stays open",
    confirms: () => warningOf("final"),
    input: z.object({
      id: id.describe("its id"),
      to: agentName.describe("the agent_id or handle of the winner"),
      post: id.optional().describe("the post that answered it"),
    }),
    operands: ["id"],
    async run({ service: { context }, values: { id: quest_id, to, post: post_id } }) {
      const facts = await awardQuest(context, { quest_id, to, post_id });
      return {
        text: `${to} has the bounty of quest ${quest_id}: ${facts.days} recognition days.`,
        facts: { quest_id, to, ...facts },
      };
    },
  }),

  operatorCommand({
    name: "quorum add",
    summary: "put a question on the list for the weeks to come; it becomes public in its week",
    confirms: () => warningOf("final"),
    input: z.object({
      question: words(QUESTION_LENGTH_MAX).describe("a yes-or-no question, in quotes"),
    }),
    operands: ["question"],
    async run({ service: { context }, values: { question } }) {
      const question_id = await addQuorumQuestion(context, question);
      return { text: `Question ${question_id} is on the list.`, facts: { question_id } };
    },
  }),

  operatorCommand({
    name: "task add",
    summary: "publish a task that is checked by machine; a pass pays one reward",
    confirms: () => warningOf("final"),
    input: z.object({
      title: words(TITLE_LENGTH_MAX).describe("one line"),
      description: prose(DESCRIPTION_LENGTH_MAX).describe("what is to be done"),
      criterion: file.describe("the criterion as JSON; - is standard input"),
      max_passes: whole("N", 0, MAX_PASSES_MAX)
        .optional()
        .describe("it closes after so many passes: default 1; 0: never"),
    }),
    async run({
      service: { context, criteria },
      values: { title, description, criterion, max_passes = 1 },
    }) {
      const task_id = await addTask(context, criteria.heavy, {
        title,
        description,
        criterion: jsonIn(criterion),
        max_passes: max_passes || null,
      });
      return { text: `Task ${task_id} is open.`, facts: { task_id } };
    },
  }),

  operatorCommand({
    name: "task purge",
    summary: "empty the payloads of failed submissions to a closed task, which frees disk space",
    about: "Their hashes and sizes stay, with entries that say so. A repetition finishes it.",
    confirms: () => warningOf("final"),
    input: z.object({ id: id.describe("its id") }),
    operands: ["id"],
    async run({ service: { context }, values: { id: task_id } }) {
      const freed = await purgeTask(context, task_id);
      if (freed === null)
        throw new Stop(REFUSED, "This task is open. Close it first: `cairn task close`.");
      demandChange(freed.submissions > 0, "This task has no payload of a failed submission left.");
      const text = `${freed.submissions} payloads of task ${task_id} are gone: ${freed.payload_bytes} bytes.`;
      return { text, facts: { task_id, ...freed } };
    },
  }),
];

const STDIN = 0;

function jsonIn(path: string): Json {
  try {
    return z.json().parse(JSON.parse(readFileSync(path === "-" ? STDIN : path, "utf8")));
  } catch (error) {
    throw new Stop(USAGE, `${path} holds no JSON that can be read: ${messageOf(error)}.`, error);
  }
}

import { readFileSync } from "node:fs";
import * as z from "zod";
import { acceptProposal } from "../../claims/proposals.ts";
import { addQuorumQuestion } from "../../claims/quorum.ts";
import { QUESTION_LENGTH_MAX } from "../../claims/rules.ts";
import { addQuest, awardQuest, closeQuest } from "../../commons/quests.ts";
import { QUEST_DESCRIPTION_LENGTH_MAX, QUEST_TITLE_LENGTH_MAX } from "../../commons/rules.ts";
import { RECOGNITION_DAYS_MAX } from "../../identity/rules.ts";
import type { Json } from "../../kernel/canonical.ts";
import { addTask, closeTask } from "../../tasks/operator.ts";
import { purgeTask } from "../../tasks/purging.ts";
import { DESCRIPTION_LENGTH_MAX, MAX_PASSES_MAX, TITLE_LENGTH_MAX } from "../../tasks/rules.ts";
import {
  agentName,
  file,
  id,
  needed,
  operand,
  optional,
  prose,
  time,
  whole,
  words,
} from "../fields.ts";
import { command, demandChange } from "../operator-command.ts";
import { messageOf, REFUSED, Stop, USAGE } from "../stop.ts";

const days = (tells: string) => needed(whole("N", 1, RECOGNITION_DAYS_MAX), tells);

export const WORK_COMMANDS = [
  command({
    name: "proposal accept",
    summary: "accept a proposal: announced, signed, and paid to its author in recognition days",
    fields: { id: operand(id, "the claim's id"), days: days("recognition days for its author") },
    async run({ context, signer }, { id: claim_id, days: granted }) {
      const facts = await acceptProposal(context, signer, { claim_id, days: granted });
      return {
        text: `Proposal ${claim_id} is accepted: announcement ${facts.announcement_id}, ${granted} recognition days.`,
        facts: { claim_id, days: granted, ...facts },
      };
    },
  }),

  command({
    name: "quest add",
    summary: "publish a quest with a bounty in recognition days",
    about: "An answer is a post with the topic quest-ID.",
    fields: {
      title: needed(words(QUEST_TITLE_LENGTH_MAX), "one line"),
      description: needed(prose(QUEST_DESCRIPTION_LENGTH_MAX), "what is to be done"),
      days: days("the bounty"),
      deadline: optional(time, "when it leaves the list"),
    },
    async run({ context }, { title, description, days: bounty_days, deadline: deadline_at }) {
      const quest_id = await addQuest(context, { title, description, bounty_days, deadline_at });
      return { text: `Quest ${quest_id} is open.`, facts: { quest_id } };
    },
  }),

  command({
    name: "quest close",
    summary: "end a quest for good",
    fields: { id: operand(id, "its id") },
    async run({ context }, { id: quest_id }) {
      await closeQuest(context, quest_id);
      return { text: `Quest ${quest_id} is closed.`, facts: { quest_id } };
    },
  }),

  command({
    name: "quest award",
    summary: "award a quest's bounty to an agent, once; the quest stays open",
    fields: {
      id: operand(id, "its id"),
      to: needed(agentName, "the agent_id or handle of who is awarded"),
      post: optional(id, "the post that answered it"),
    },
    async run({ context }, { id: quest_id, to, post: post_id }) {
      const facts = await awardQuest(context, { quest_id, to, post_id });
      return {
        text: `${to} has the bounty of quest ${quest_id}: ${facts.days} recognition days.`,
        facts: { quest_id, to, ...facts },
      };
    },
  }),

  command({
    name: "quorum add",
    summary: "put a question on the list for the weeks to come; it becomes public in its week",
    fields: { question: operand(words(QUESTION_LENGTH_MAX), "a yes-or-no question, in quotes") },
    async run({ context }, { question }) {
      const question_id = await addQuorumQuestion(context, question);
      return { text: `Question ${question_id} is on the list.`, facts: { question_id } };
    },
  }),

  command({
    name: "task add",
    summary: "publish a task that is checked by machine; a pass pays one reward",
    fields: {
      title: needed(words(TITLE_LENGTH_MAX), "one line"),
      description: needed(prose(DESCRIPTION_LENGTH_MAX), "what is to be done"),
      criterion: needed(file, "the criterion as JSON; - is standard input"),
      max_passes: optional(
        whole("N", 0, MAX_PASSES_MAX),
        "it closes at so many passes: 1 unless told, 0 for never",
      ),
    },
    async run({ context, criteria }, { title, description, criterion, max_passes = 1 }) {
      const task_id = await addTask(context, criteria.heavy, {
        title,
        description,
        criterion: jsonIn(criterion),
        max_passes: max_passes || null,
      });
      return { text: `Task ${task_id} is open.`, facts: { task_id } };
    },
  }),

  command({
    name: "task close",
    summary: "end a task; its payloads become public",
    fields: { id: operand(id, "its id") },
    async run({ context }, { id: task_id }) {
      await closeTask(context, task_id);
      return { text: `Task ${task_id} is closed.`, facts: { task_id } };
    },
  }),

  command({
    name: "task purge",
    summary: "empty the payloads of failed submissions to a closed task, which frees disk space",
    about: "Their hashes and sizes stay, with entries that say so. A repetition finishes it.",
    fields: { id: operand(id, "its id") },
    async run({ context }, { id: task_id }) {
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

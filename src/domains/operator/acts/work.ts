import * as z from "zod";
import { addQuest, closeQuest } from "../../commons/quests.ts";
import { QUEST_DESCRIPTION_LENGTH_MAX, QUEST_TITLE_LENGTH_MAX } from "../../commons/rules.ts";
import { RECOGNITION_DAYS_MAX } from "../../identity/rules.ts";
import { closeTask } from "../../tasks/operator.ts";
import { act } from "../act.ts";
import { id, prose, time, whole, words } from "../values.ts";

const days = (meaning: string) => whole("N", 1, RECOGNITION_DAYS_MAX).describe(meaning);

export const questAdd = act({
  name: "quest add",
  summary: "publish a quest with a bounty in recognition days",
  about: "An answer is a post with the topic quest-ID.",
  input: z.object({
    title: words(QUEST_TITLE_LENGTH_MAX).describe("one line"),
    description: prose(QUEST_DESCRIPTION_LENGTH_MAX).describe("what is to be done"),
    days: days("the bounty"),
    deadline: time.optional().describe("when it leaves the list"),
  }),
  effect: "final",
  async run(context, { title, description, days: bounty_days, deadline: deadline_at }) {
    const quest_id = await addQuest(context, { title, description, bounty_days, deadline_at });
    return { text: `Quest ${quest_id} is open.`, facts: { quest_id } };
  },
});

export const questClose = act({
  name: "quest close",
  summary: "end a quest for good",
  input: z.object({ id: id.describe("its id") }),
  operands: ["id"],
  effect: "final",
  async run(context, { id: quest_id }) {
    await closeQuest(context, quest_id);
    return { text: `Quest ${quest_id} is closed.`, facts: { quest_id } };
  },
});

export const taskClose = act({
  name: "task close",
  summary: "end a task; its payloads become public",
  input: z.object({ id: id.describe("its id") }),
  operands: ["id"],
  effect: "final",
  async run(context, { id: task_id }) {
    await closeTask(context, task_id);
    return { text: `Task ${task_id} is closed.`, facts: { task_id } };
  },
});

export const WORK_ACTS = [questAdd, questClose, taskClose];

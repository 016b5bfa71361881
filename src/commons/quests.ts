import type { Context, ServiceContext } from "../context.ts";
import { findAgent } from "../identity/agents.ts";
import { grantRecognition } from "../identity/recognition.ts";
import { isRecognition } from "../identity/rules.ts";
import type { Rejects } from "../kernel/contract/errors.ts";
import { questTopic } from "../kernel/contract/id-forms.ts";
import { line, text } from "../kernel/text.ts";
import type { Seconds } from "../kernel/time.ts";
import { enact, enactSurely } from "../ledger/rows/enact.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";
import { QUEST_DESCRIPTION_LENGTH_MAX, QUEST_TITLE_LENGTH_MAX } from "./rules.ts";

interface NewQuest {
  readonly title: string;
  readonly description: string;
  readonly bounty_days: number;
  readonly deadline_at?: Seconds | undefined;
}

const titleText = line(1, QUEST_TITLE_LENGTH_MAX);
const descriptionText = text(1, QUEST_DESCRIPTION_LENGTH_MAX);

type Status = keyof typeof sql.questsThatAre;

/** Quests that still take answers, or those that do not, newest first. */
export async function newestQuests(
  { read, clock }: Pick<Context, "read" | "clock">,
  status: Status,
  range: { readonly before_id: number; readonly limit: number },
) {
  const now = clock.now();
  const rows = await sql.questsThatAre[status].all(read, { ...range, now });
  return rows.map((quest) => showQuest(quest, now));
}

/** One quest, whatever has become of it. Rejects with `quest_not_found`. */
export async function findQuest(
  { read, clock, reject }: Pick<Context, "read" | "clock"> & Rejects<"quest_not_found">,
  id: number,
) {
  const row = await sql.questById.first(read, { id });
  return row === undefined
    ? reject("quest_not_found", "There is no quest with this id. {commons.quests} lists them.")
    : showQuest(row, clock.now());
}

type Row = NonNullable<Awaited<ReturnType<typeof sql.questById.first>>>;

function showQuest(quest: Row, now: Seconds) {
  return {
    ...quest,
    status: isOpen(quest, now) ? ("open" as const) : ("closed" as const),
    how_to_answer: `POST /api/v1/post with topic ${questTopic(quest.id)}. The operator reads the answers and awards the bounty in public.`,
  };
}

const isOpen = (
  quest: { readonly closed_at: Seconds | null; readonly deadline_at: Seconds | null },
  now: Seconds,
): boolean => quest.closed_at === null && (quest.deadline_at === null || quest.deadline_at > now);

/** The operator publishes a quest. Resolves to its id. Throws a sentence when it breaks a bound. */
export async function addQuest(
  { write, clock }: Pick<Context, "write" | "clock">,
  { title, description, bounty_days, deadline_at }: NewQuest,
): Promise<number> {
  const created_at = clock.now();
  if (!titleText.safeParse(title).success)
    throw new Error(`A quest's title is one line of at most ${QUEST_TITLE_LENGTH_MAX} characters.`);
  if (!descriptionText.safeParse(description).success)
    throw new Error(`A description has at most ${QUEST_DESCRIPTION_LENGTH_MAX} characters.`);
  if (!isRecognition(bounty_days, undefined))
    throw new Error("A bounty is 1 to 3650 whole recognition days.");
  if (deadline_at !== undefined && !(Number.isInteger(deadline_at) && deadline_at > created_at))
    throw new Error("A deadline is a second that is still to come.");

  return write(async (tx) => {
    const quest = { title, description, bounty_days, deadline_at };
    const timed = deadline_at === undefined ? { made_at: null } : {};
    const { id } = await enactSurely(tx, rows.quest, { ...quest, ...timed }, created_at);
    return id;
  });
}

/** The operator ends a quest for good. Throws a sentence when there is no open quest with this id. */
export async function closeQuest(
  { write, clock }: Pick<Context, "write" | "clock">,
  quest_id: number,
): Promise<void> {
  await write(async (tx) => {
    const closed = await enact(tx, rows.questClosed, { quest_id }, clock.now());
    if (closed === undefined) refuseClosed();
  });
}

interface Award {
  readonly quest_id: number;
  /** The winner's agent_id or handle. */
  readonly to: string;
  /** The winner's answer. */
  readonly post_id?: number | undefined;
}

/**
 * The operator awards a quest's bounty to an agent, once per quest and agent, so that a repeated
 * command pays once; the quest stays open. Rejects with `agent_not_found`, or throws a sentence.
 */
export async function awardQuest(context: ServiceContext, { quest_id, to, post_id }: Award) {
  const { read, write, clock } = context;
  const agent = await findAgent(context, to);
  const answer = { agent: agent.id, topic: questTopic(quest_id) };
  if (post_id !== undefined && !(await sql.visiblePost.first(read, { id: post_id, ...answer })))
    throw new Error("This agent has no visible post with this id on the quest's topic.");

  return write(async (tx) => {
    const quest = (await sql.questById.first(tx, { id: quest_id })) ?? refuseClosed();
    if (quest.closed_at !== null) refuseClosed();
    const days = quest.bounty_days;
    const grant = { agent, days, why: "quest" as const, source: `quest/${quest_id}` };
    const recognition_id = await grantRecognition(tx, context, grant);
    const award = { quest_id, agent, days, recognition_id, post_id };
    if ((await enact(tx, rows.questAwarded, award, clock.now())) === undefined)
      throw new Error("This agent has this quest's bounty already.");
    return { recognition_id, days };
  });
}

function refuseClosed(): never {
  throw new Error("There is no open quest with this id.");
}

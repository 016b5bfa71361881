import type { Context, ServiceContext } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { questTopic } from "../../platform/kernel/contract/id-forms.ts";
import { line, text } from "../../platform/kernel/text.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { demandAllowed, enactAllowed } from "../../platform/ledger/rows/enact-allowed.ts";
import { findAgent } from "../identity/agents.ts";
import { grantRecognition } from "../identity/recognition.ts";
import { questAwarded, questClosed, quest as questRule } from "./ledger.ts";
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

/**
 * The operator publishes a quest. Resolves to its id. Throws a sentence when a text breaks a bound, and rejects with
 * `validation_failed` when its bounty or its deadline does.
 */
export async function addQuest(
  context: Pick<Context, "write" | "clock" | "reject">,
  { title, description, bounty_days, deadline_at }: NewQuest,
): Promise<number> {
  const { write, clock } = context;
  if (!titleText.safeParse(title).success)
    throw new Error(`A quest's title is one line of at most ${QUEST_TITLE_LENGTH_MAX} characters.`);
  if (!descriptionText.safeParse(description).success)
    throw new Error(`A description has at most ${QUEST_DESCRIPTION_LENGTH_MAX} characters.`);
  const timed = deadline_at === undefined ? { made_at: null } : {};
  const given = { title, description, bounty_days, deadline_at, ...timed };
  const wanted = { before: null, given, now: clock.now() };
  demandAllowed(context, [questRule, rows.quest], wanted);
  return write(async (tx) => (await enactAllowed(context, tx, [questRule, rows.quest], wanted)).id);
}

/** The operator ends a quest for good. Rejects with `invalid_state` when there is no open quest with this id. */
export async function closeQuest(
  context: Pick<Context, "read" | "write" | "clock"> & Rejects<"invalid_state">,
  quest_id: number,
): Promise<void> {
  const { read, write, clock } = context;
  const closingIn = async (db: Db) => {
    const quest = await sql.questById.first(db, { id: quest_id });
    return { before: { isOpen: quest?.closed_at === null }, given: { quest_id }, now: clock.now() };
  };
  demandAllowed(context, [questClosed, rows.questClosed], await closingIn(read));
  await write(async (tx) => {
    await enactAllowed(context, tx, [questClosed, rows.questClosed], await closingIn(tx));
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
 * command pays once; the quest stays open. Rejects with `agent_not_found` or `invalid_state`.
 */
export async function awardQuest(context: ServiceContext, { quest_id, to, post_id }: Award) {
  const { read, write, clock } = context;
  const agent = await findAgent(context, to);
  const { agent_id } = agent;
  const topic = questTopic(quest_id);
  const isAnswer =
    post_id === undefined ||
    (await sql.visiblePost.first(read, { id: post_id, agent: agent.id, topic })) !== undefined;
  /** The award, and what its rule reads, with the days that are granted before it. */
  const awardIn = async (db: Db) => {
    const quest = await sql.toAward.first(db, { quest: quest_id, agent: agent.id });
    const days = quest?.bounty_days ?? 0;
    const source = `quest/${quest_id}`;
    const found = quest && {
      bounty_days: days,
      isClosed: quest.closed_at !== null,
      awards: quest.awards,
    };
    const granted = { agent: agent_id, days, source };
    const isAwarded = quest?.recognition != null;
    return {
      before: { isKnown: true, isAwarded, found, granted, isAnswer },
      grant: { agent, days, why: "quest" as const, source },
      given: { quest_id, agent, days, post_id },
      now: clock.now(),
      n: (quest?.awards ?? 0) + 1,
    };
  };
  const { given, ...look } = await awardIn(read);
  const named = { ...given, recognition_id: 0 };
  demandAllowed(context, [questAwarded, rows.questAwarded], { ...look, given: named });
  return write(async (tx) => {
    const { grant, given, ...award } = await awardIn(tx);
    const recognition_id = await grantRecognition(tx, context, grant);
    const named = { ...given, recognition_id };
    await enactAllowed(context, tx, [questAwarded, rows.questAwarded], { ...award, given: named });
    return { recognition_id, days: grant.days };
  });
}

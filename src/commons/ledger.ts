import { type IdentityState, unknownAgent } from "../identity/ledger.ts";
import { RECOGNITION_DAYS_MAX } from "../identity/rules.ts";
import { questTopic } from "../kernel/contract/id-forms.ts";
import type { NumbersById } from "../kernel/proof/numbers.ts";
import type { Seconds } from "../kernel/time.ts";
import {
  type AnyTransition,
  become,
  fault,
  isAhead,
  numberIn,
  transition,
} from "../ledger/transition.ts";
import * as entries from "./entries.ts";

interface KnownQuest {
  readonly bounty_days: number;
  readonly deadline_at: Seconds | undefined;
  readonly awarded: Set<string>;
  readonly isClosed: boolean;
}

export interface CommonsState extends IdentityState {
  /** Of posts: who wrote each, and which quest it is on (feed/ledger.ts). */
  readonly authors: NumbersById;
  readonly questPosts: ReadonlyMap<number, string>;
  readonly quests: Map<number, KnownQuest>;
}

export const emptyCommons = () => ({ quests: new Map() });

/** A quest with the number of its awards. */
function questOf(
  quests: CommonsState["quests"],
  { quest_id }: { readonly quest_id: number },
): (Omit<KnownQuest, "awarded"> & { readonly awards: number }) | undefined {
  const found = quests.get(quest_id);
  if (found === undefined) return undefined;
  const { awarded, ...quest } = found;
  return { ...quest, awards: awarded.size };
}

const quest = transition(entries.quest, {
  refuses: {
    bounty: fault("A bounty is 1 to 3,650 recognition days."),
    deadline: fault("A deadline is a second that is still to come."),
  },
  isTimed: (_, { body }) => body.deadline_at !== undefined,
  before: () => null,
  rule(_, entry, refuses) {
    const { bounty_days, deadline_at } = entry.body;
    if (bounty_days > RECOGNITION_DAYS_MAX) return refuses.bounty;
    return deadline_at === undefined || isAhead(deadline_at, entry) ? undefined : refuses.deadline;
  },
  evolve({ quests }: CommonsState, { body: { quest_id, bounty_days, deadline_at } }) {
    quests.set(quest_id, { bounty_days, deadline_at, awarded: new Set(), isClosed: false });
  },
});

const questAwarded = transition(entries.questAwarded, {
  refuses: {
    unknown: unknownAgent,
    closed: fault("Only a quest that is open is awarded."),
    again: fault("An agent has a quest's bounty once."),
    post: fault("The post that an award names is its agent's answer to the quest."),
    count: fault("The awards of a quest are counted from 1."),
    recognised: fault("An award is recognised before it, with the days of the bounty."),
  },
  before: ({ quests, agents, authors, questPosts, recognitions }: CommonsState, { body }) => ({
    isAwarded: quests.get(body.quest_id)?.awarded.has(body.agent) === true,
    agent: agents.get(body.agent),
    found: questOf(quests, body),
    granted: recognitions.get(body.recognition_id),
    answer: { author: authors.get(body.post_id ?? 0), topic: questPosts.get(body.post_id ?? 0) },
  }),
  rule({ agent, found, isAwarded, granted, answer }, { ref, body }, refuses) {
    if (agent === undefined) return refuses.unknown;
    if (found === undefined || found.isClosed) return refuses.closed;
    if (isAwarded) return refuses.again;
    const isAnswer = answer.author === agent.n && answer.topic === questTopic(body.quest_id);
    if (body.post_id !== undefined && !isAnswer) return refuses.post;
    if (numberIn(ref) !== found.awards + 1) return refuses.count;
    const isGranted =
      body.days === found.bounty_days &&
      granted?.agent === body.agent &&
      granted.days === body.days &&
      granted.source === `quest/${body.quest_id}`;
    return isGranted ? undefined : refuses.recognised;
  },
  evolve({ quests, recognitions }, { body }) {
    quests.get(body.quest_id)?.awarded.add(body.agent);
    recognitions.delete(body.recognition_id);
  },
});

const questClosed = transition(entries.questClosed, {
  refuses: { closed: fault("Only a quest that is open is closed.") },
  before: ({ quests }: CommonsState, { body }) => questOf(quests, body),
  rule: (found, _, refuses) => (found === undefined || found.isClosed ? refuses.closed : undefined),
  evolve({ quests }, { body }) {
    become(quests, body.quest_id, (was) => ({ ...was, isClosed: true }));
  },
});

export const commonsTransitions: readonly AnyTransition<CommonsState>[] = [
  quest,
  questAwarded,
  questClosed,
];

import { questTopic } from "../../platform/kernel/contract/id-forms.ts";
import type { NumbersById } from "../../platform/kernel/proof/numbers.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import {
  type AnyTransition,
  become,
  fault,
  isAhead,
  numberIn,
  refusal,
  transition,
} from "../../platform/ledger/transition.ts";
import { type IdentityState, unknownAgent } from "../identity/ledger.ts";
import { isRecognition } from "../identity/rules.ts";
import * as entries from "./entries.ts";

interface KnownQuest {
  readonly bounty_days: number;
  readonly deadline_at: Seconds | undefined;
  readonly awarded: Set<string>;
  readonly isClosed: boolean;
}

export interface CommonsState extends IdentityState {
  /** Of posts: who wrote each, and which quest it is on (domains/feed/ledger.ts). */
  readonly authors: NumbersById;
  readonly questPosts: ReadonlyMap<number, string>;
  readonly quests: Map<number, KnownQuest>;
}

export const emptyCommons = () => ({ quests: new Map() });

/** A quest as an award is asked by it. */
function awardedIn(
  quests: CommonsState["quests"],
  { quest_id }: { readonly quest_id: number },
):
  | { readonly bounty_days: number; readonly isClosed: boolean; readonly awards: number }
  | undefined {
  const found = quests.get(quest_id);
  if (found === undefined) return undefined;
  const { bounty_days, isClosed, awarded } = found;
  return { bounty_days, isClosed, awards: awarded.size };
}

const notOpen = refusal("invalid_state", "There is no open quest with this id.");

export const quest = transition(entries.quest, {
  refuses: {
    bounty: refusal("validation_failed", "A bounty is 1 to 3,650 whole recognition days."),
    deadline: refusal("validation_failed", "A deadline is a second that is still to come."),
  },
  isTimed: (_, { body }) => body.deadline_at !== undefined,
  before: () => null,
  rule(_, entry, refuses) {
    const { bounty_days = 0, deadline_at } = entry.body;
    if (!isRecognition(bounty_days, undefined)) return refuses.bounty;
    if (deadline_at === undefined) return undefined;
    const isSecond = Number.isInteger(deadline_at) && isAhead(deadline_at, entry);
    return isSecond ? undefined : refuses.deadline;
  },
  evolve({ quests }: CommonsState, { body: { quest_id, bounty_days, deadline_at } }) {
    quests.set(quest_id, { bounty_days, deadline_at, awarded: new Set(), isClosed: false });
  },
});

export const questAwarded = transition(entries.questAwarded, {
  refuses: {
    unknown: fault(unknownAgent.sentence),
    closed: notOpen,
    again: refusal("invalid_state", "This agent has this quest's bounty already."),
    post: refusal(
      "invalid_state",
      "This agent has no visible post with this id on the quest's topic.",
    ),
    count: fault("The awards of a quest are counted from 1."),
    recognised: fault("An award is recognised before it, with the days of the bounty."),
  },
  before({ quests, agents, authors, questPosts, recognitions }: CommonsState, { body }) {
    const { quest_id, agent, post_id, recognition_id } = body;
    const isOwn = authors.get(post_id ?? 0) === agents.get(agent)?.n;
    return {
      isKnown: agents.has(agent),
      isAwarded: quests.get(quest_id)?.awarded.has(agent) === true,
      found: awardedIn(quests, body),
      granted: recognitions.get(recognition_id),
      isAnswer:
        post_id === undefined || (isOwn && questPosts.get(post_id) === questTopic(quest_id)),
    };
  },
  rule({ isKnown, found, isAwarded, granted, isAnswer }, { ref, body }, refuses) {
    if (!isKnown) return refuses.unknown;
    if (!isAnswer) return refuses.post;
    if (found === undefined || found.isClosed) return refuses.closed;
    if (isAwarded) return refuses.again;
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

export const questClosed = transition(entries.questClosed, {
  refuses: { closed: notOpen },
  before: ({ quests }: CommonsState, { body }) => ({
    isOpen: quests.get(body.quest_id)?.isClosed === false,
  }),
  rule: ({ isOpen }, _, refuses) => (isOpen ? undefined : refuses.closed),
  evolve({ quests }, { body }) {
    become(quests, body.quest_id, (was) => ({ ...was, isClosed: true }));
  },
});

export const commonsTransitions: readonly AnyTransition<CommonsState>[] = [
  quest,
  questAwarded,
  questClosed,
];

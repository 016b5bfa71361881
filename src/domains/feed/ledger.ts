import { isQuestTopic } from "../../platform/kernel/contract/id-forms.ts";
import { type NumbersById, numbersById } from "../../platform/kernel/proof/numbers.ts";
import {
  type AnyTransition,
  become,
  fault,
  numberIn,
  refusal,
  transition,
} from "../../platform/ledger/transition.ts";
import { bannedAgent, type IdentityState, isBanned, unknownAgent } from "../identity/ledger.ts";
import { hidingsNumber } from "../removals/ledger.ts";
import * as entries from "./entries.ts";

export interface FeedState extends IdentityState {
  /** The highest id of a post: what a reply names is not higher. */
  lastPost: number;
  /** Who wrote each post: the number of its agent, by the post's id. */
  readonly authors: NumbersById;
  /** The topics of posts that may answer a quest. */
  readonly questPosts: Map<number, string>;
  /** Posts that their authors have retracted. */
  readonly retracted: Set<number>;
  /** Posts that were ever hidden: how often, and whether they are now. */
  readonly hidings: Map<number, { readonly n: number; readonly isHidden: boolean }>;
}

export const emptyFeed = () => ({
  lastPost: 0,
  authors: numbersById(),
  questPosts: new Map<number, string>(),
  retracted: new Set<number>(),
  hidings: new Map(),
});

export const unknownPost = refusal("post_not_found", "There is no post with this id.");
export const notYours = refusal(
  "not_your_post",
  "Only its author does that, and this post is not yours.",
);

const post = transition(entries.post, {
  refuses: {
    unknown: unknownAgent,
    banned: bannedAgent,
    replied: unknownPost,
    own: notYours,
  },
  before: ({ agents, lastPost, authors }: FeedState, { body }) => ({
    agent: agents.get(body.agent),
    earlier: authors.get(body.supersedes ?? 0),
    lastPost,
  }),
  rule({ agent, earlier, lastPost }, entry, refuses) {
    if (agent === undefined) return refuses.unknown;
    if (isBanned(agent, entry)) return refuses.banned;
    const { reply_to, post_id, supersedes } = entry.body;
    if (supersedes !== undefined && earlier !== agent.n) return refuses.own;
    return reply_to === undefined || (reply_to <= lastPost && reply_to !== post_id)
      ? undefined
      : refuses.replied;
  },
  evolve(state, { body }) {
    state.lastPost = Math.max(state.lastPost, body.post_id);
    const agent = state.agents.get(body.agent);
    if (agent !== undefined) state.authors.set(body.post_id, agent.n);
    if (body.topic !== undefined && isQuestTopic(body.topic))
      state.questPosts.set(body.post_id, body.topic);
  },
});

const postRetracted = transition(entries.postRetracted, {
  refuses: {
    unknown: unknownAgent,
    banned: bannedAgent,
    own: notYours,
    again: fault("A post is retracted once."),
  },
  before: ({ agents, authors, retracted }: FeedState, { body }) => ({
    agent: agents.get(body.agent),
    author: authors.get(body.post_id),
    isRetracted: retracted.has(body.post_id),
  }),
  rule({ agent, author, isRetracted }, entry, refuses) {
    if (agent === undefined) return refuses.unknown;
    if (isBanned(agent, entry)) return refuses.banned;
    if (author !== agent.n) return refuses.own;
    return isRetracted ? refuses.again : undefined;
  },
  evolve({ retracted }, { body }) {
    retracted.add(body.post_id);
  },
});

const NEVER = { n: 0, isHidden: false };
const hidingOf = ({ hidings }: FeedState, { body }: { body: { post_id: number } }) =>
  hidings.get(body.post_id) ?? NEVER;

export const postHidden = transition(entries.postHidden, {
  refuses: {
    unknown: unknownPost,
    hidden: fault("The post is hidden already."),
    count: fault("The hidings of a post are counted from 1."),
  },
  before: (state: FeedState, entry) => ({
    isKnown: entry.body.post_id <= state.lastPost,
    hiding: hidingOf(state, entry),
  }),
  rule({ isKnown, hiding }, { ref }, refuses) {
    if (!isKnown) return refuses.unknown;
    if (hiding.isHidden) return refuses.hidden;
    return numberIn(ref) === hiding.n + 1 ? undefined : refuses.count;
  },
  evolve(state, entry) {
    state.hidings.set(entry.body.post_id, { n: hidingOf(state, entry).n + 1, isHidden: true });
  },
});

export const postUnhidden = transition(entries.postUnhidden, {
  refuses: {
    shown: fault("The post is not hidden."),
    count: hidingsNumber,
  },
  before: hidingOf,
  rule({ n, isHidden }, { ref }, refuses) {
    if (!isHidden) return refuses.shown;
    return numberIn(ref) === n ? undefined : refuses.count;
  },
  evolve({ hidings }, { body: { post_id } }) {
    become(hidings, post_id, ({ n }) => ({ n, isHidden: false }));
  },
});

export const feedTransitions: readonly AnyTransition<FeedState>[] = [
  post,
  postRetracted,
  postHidden,
  postUnhidden,
];

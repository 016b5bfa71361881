import type { CoinState } from "../coin/ledger.ts";
import { bannedAgent, isBanned, unknownAgent } from "../identity/ledger.ts";
import { didAct } from "../ledger/acts.ts";
import { type AnyTransition, fault, numberIn, refusal, transition } from "../ledger/transition.ts";
import * as entries from "./entries.ts";
import { TARGET_USD_MAX } from "./rules.ts";

/** An agent in a repository, of which it may be a member no more. */
interface Membership {
  readonly isMember: boolean;
  readonly joins: number;
  readonly roles: number;
  readonly leaves: number;
}

export interface RepositoriesState extends CoinState {
  readonly repositories: Set<number>;
  /** By repository and agent. */
  readonly memberships: Map<string, Membership>;
}

export const emptyRepositories = () => ({
  repositories: new Set<number>(),
  memberships: new Map<string, Membership>(),
});

const STRANGER: Membership = { isMember: false, joins: 0, roles: 0, leaves: 0 };
const keyOf = (repo_id: number, agent: string): string => `${repo_id} ${agent}`;

const noRepository = refusal(
  "repo_not_found",
  "There is no repository with this id. {repositories.list} lists them.",
);
const notAMember = refusal(
  "not_a_member",
  "You are not a member of this repository. {repositories.join} makes you one.",
);

const repo = transition(entries.repo, {
  refuses: {
    unknown: unknownAgent,
    banned: bannedAgent,
    target: fault("A repository's target is at most 1,000,000,000 USD."),
  },
  before: ({ agents }: RepositoriesState, { body }) => agents.get(body.agent),
  rule(agent, entry, refuses) {
    if (agent === undefined) return refuses.unknown;
    if (isBanned(agent, entry)) return refuses.banned;
    const { target_usd_micro = 0 } = entry.body;
    return BigInt(target_usd_micro) <= TARGET_USD_MAX ? undefined : refuses.target;
  },
  evolve({ repositories, memberships }, { body }) {
    repositories.add(body.repo_id);
    memberships.set(keyOf(body.repo_id, body.agent), { ...STRANGER, isMember: true });
  },
});

const standing = (
  { repositories, memberships, agents }: RepositoriesState,
  { body }: { readonly body: { readonly repo_id: number; readonly agent: string } },
) => ({
  isRepository: repositories.has(body.repo_id),
  agent: agents.get(body.agent),
  known: memberships.get(keyOf(body.repo_id, body.agent)) ?? STRANGER,
});

const repoJoin = transition(entries.repoJoin, {
  refuses: {
    repository: noRepository,
    banned: bannedAgent,
    member: fault("The agent is a member already."),
    count: fault("An agent's joins of a repository are counted."),
  },
  before: standing,
  rule({ isRepository, agent, known }, entry, refuses) {
    if (!isRepository || agent === undefined) return refuses.repository;
    if (isBanned(agent, entry)) return refuses.banned;
    if (known.isMember) return refuses.member;
    return numberIn(entry.ref) === known.joins + 1 ? undefined : refuses.count;
  },
  evolve({ memberships }, { body }, { known }) {
    const joined = { ...known, isMember: true, joins: known.joins + 1 };
    memberships.set(keyOf(body.repo_id, body.agent), joined);
  },
});

const repoRole = transition(entries.repoRole, {
  refuses: {
    stranger: notAMember,
    banned: bannedAgent,
    count: fault("An agent's changes of role are counted."),
  },
  before: standing,
  rule({ agent, known }, entry, refuses) {
    if (!known.isMember) return refuses.stranger;
    if (isBanned(agent, entry)) return refuses.banned;
    return numberIn(entry.ref) === known.roles + 1 ? undefined : refuses.count;
  },
  evolve({ memberships }, { body }, { known }) {
    memberships.set(keyOf(body.repo_id, body.agent), { ...known, roles: known.roles + 1 });
  },
});

const repoLeave = transition(entries.repoLeave, {
  refuses: {
    stranger: notAMember,
    banned: bannedAgent,
    count: fault("An agent's leaves of a repository are counted."),
  },
  before: standing,
  rule({ agent, known }, entry, refuses) {
    if (!known.isMember) return refuses.stranger;
    if (isBanned(agent, entry)) return refuses.banned;
    return numberIn(entry.ref) === known.leaves + 1 ? undefined : refuses.count;
  },
  evolve({ memberships }, { body }, { known }) {
    const left = { ...known, isMember: false, leaves: known.leaves + 1 };
    memberships.set(keyOf(body.repo_id, body.agent), left);
  },
});

const repoCommit = transition(entries.repoCommit, {
  refuses: { stranger: notAMember, banned: bannedAgent },
  before: standing,
  rule({ agent, known }, entry, refuses) {
    if (!known.isMember) return refuses.stranger;
    return isBanned(agent, entry) ? refuses.banned : undefined;
  },
  evolve(state, { at, body }) {
    didAct(state, at, body.agent, `commit/${body.commit_id}`);
  },
});

export const repositoriesTransitions: readonly AnyTransition<RepositoriesState>[] = [
  ...[repo, repoJoin, repoRole],
  ...[repoLeave, repoCommit],
];

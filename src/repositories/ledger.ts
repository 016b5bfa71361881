import type { CoinState } from "../coin/ledger.ts";
import { bannedAgent, isBanned, unknownAgent } from "../identity/ledger.ts";
import { didAct } from "../ledger/acts.ts";
import { type AnyTransition, fault, numberIn, refusal, transition } from "../ledger/transition.ts";
import * as entries from "./entries.ts";
import { TARGET_USD_MAX, WRITERS_MAX } from "./rules.ts";

/** An agent in a repository, of which it may be a member no more. */
interface Membership {
  readonly isMember: boolean;
  readonly joins: number;
  readonly roles: number;
  readonly leaves: number;
}

/** A repository, and who may change its files. */
interface Repository {
  readonly founder: string;
  /** The newest commit with files. */
  readonly head: number | undefined;
  /** Agents that the founder has ever named: whether they may write now, and how often that changed. */
  readonly writers: Map<string, { readonly mayWrite: boolean; readonly changes: number }>;
  /** How many of them may write now. */
  readonly named: number;
}

export interface RepositoriesState extends CoinState {
  readonly repositories: Map<number, Repository>;
  /** By repository and agent. */
  readonly memberships: Map<string, Membership>;
  /** Contents that were removed, by their hashes. */
  readonly purgedFiles: Set<string>;
}

export const emptyRepositories = () => ({
  repositories: new Map<number, Repository>(),
  memberships: new Map<string, Membership>(),
  purgedFiles: new Set<string>(),
});

const NO_WRITERS = () => ({ writers: new Map(), named: 0 });
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
    repositories.set(body.repo_id, { founder: body.agent, head: undefined, ...NO_WRITERS() });
    memberships.set(keyOf(body.repo_id, body.agent), { ...STRANGER, isMember: true });
  },
});

const standing = (
  { repositories, memberships, agents }: RepositoriesState,
  { body }: { readonly body: { readonly repo_id: number; readonly agent: string } },
) => ({
  isRepository: repositories.has(body.repo_id),
  repository: repositories.get(body.repo_id),
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

const mayWrite = ({ founder, writers }: Repository, agent: string): boolean =>
  agent === founder || writers.get(agent)?.mayWrite === true;

const repoCommit = transition(entries.repoCommit, {
  refuses: {
    stranger: notAMember,
    banned: bannedAgent,
    reader: refusal(
      "not_a_writer",
      "Only the founder and whom it names may commit files. {repositories.writers} is how it names an agent.",
    ),
    parent: fault(
      "A commit with files follows the commit with files before it, and only such a one does.",
    ),
  },
  before: standing,
  isTimed: (_, { body }) => body.tree_sha256 !== undefined,
  rule({ agent, known, repository }, entry, refuses) {
    if (!known.isMember || repository === undefined) return refuses.stranger;
    if (isBanned(agent, entry)) return refuses.banned;
    const { tree_sha256, parent, agent: author } = entry.body;
    if (tree_sha256 === undefined) return parent === undefined ? undefined : refuses.parent;
    if (!mayWrite(repository, author)) return refuses.reader;
    return parent === repository.head ? undefined : refuses.parent;
  },
  evolve(state, { at, body }, { repository }) {
    didAct(state, at, body.agent, `commit/${body.commit_id}`);
    if (repository !== undefined && body.tree_sha256 !== undefined)
      state.repositories.set(body.repo_id, { ...repository, head: body.commit_id });
  },
});

const repoWriter = transition(entries.repoWriter, {
  refuses: {
    founder: refusal("not_the_founder", "Only the founder of a repository names its writers."),
    banned: bannedAgent,
    unknown: unknownAgent,
    same: fault("A writer is named who is none yet, or taken back who is one."),
    count: fault("The changes of a writer are counted."),
    full: refusal("repository_full", `A repository has at most ${WRITERS_MAX} writers.`),
  },
  before: (state: RepositoriesState, entry) => ({
    ...standing(state, entry),
    isKnown: state.agents.has(entry.body.writer),
  }),
  rule({ agent, repository, isKnown }, entry, refuses) {
    const { writer, allowed } = entry.body;
    if (repository?.founder !== entry.body.agent) return refuses.founder;
    if (isBanned(agent, entry)) return refuses.banned;
    if (!isKnown) return refuses.unknown;
    const before = repository.writers.get(writer) ?? { mayWrite: false, changes: 0 };
    if (writer === repository.founder || before.mayWrite === (allowed === 1)) return refuses.same;
    if (numberIn(entry.ref) !== before.changes + 1) return refuses.count;
    return allowed === 1 && repository.named >= WRITERS_MAX ? refuses.full : undefined;
  },
  evolve({ repositories }, { body }, { repository }) {
    if (repository === undefined) return;
    const { changes } = repository.writers.get(body.writer) ?? { changes: 0 };
    const mayWrite = body.allowed === 1;
    repository.writers.set(body.writer, { mayWrite, changes: changes + 1 });
    const named = repository.named + (mayWrite ? 1 : -1);
    repositories.set(body.repo_id, { ...repository, named });
  },
});

const filePurged = transition(entries.filePurged, {
  refuses: { again: fault("A content is removed once.") },
  before: ({ purgedFiles }: RepositoriesState, { body }) => purgedFiles.has(body.content),
  rule: (isPurged, _, refuses) => (isPurged ? refuses.again : undefined),
  evolve({ purgedFiles }, { body }) {
    purgedFiles.add(body.content);
  },
});

export const repositoriesTransitions: readonly AnyTransition<RepositoriesState>[] = [
  repo,
  repoJoin,
  repoRole,
  repoLeave,
  repoCommit,
  repoWriter,
  filePurged,
];

import { didAct } from "../../platform/ledger/acts.ts";
import {
  type AnyTransition,
  become,
  fault,
  numberIn,
  refusal,
  transition,
} from "../../platform/ledger/transition.ts";
import type { CoinState } from "../coin/ledger.ts";
import { bannedAgent, isBanned, partyOf, unknownAgent, unknownCaller } from "../identity/ledger.ts";
import * as entries from "./entries.ts";
import { TARGET_USD_MAX, WRITERS_MAX } from "./rules.ts";

/** An agent in a repository, of which it may be a member no more. */
export interface Membership {
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
  /** How many agents that the founder has named may write now. */
  readonly named: number;
}

/** An agent that the founder of a repository has ever named. */
interface Writer {
  readonly mayWrite: boolean;
  /** How often that has changed. */
  readonly changes: number;
}

export interface RepositoriesState extends CoinState {
  readonly repositories: Map<number, Repository>;
  /** By repository and agent. */
  readonly memberships: Map<string, Membership>;
  /** By repository and agent. */
  readonly writers: Map<string, Writer>;
  /** Contents that were removed, by their hashes. */
  readonly purgedFiles: Set<string>;
}

export const emptyRepositories = () => ({
  repositories: new Map<number, Repository>(),
  memberships: new Map<string, Membership>(),
  writers: new Map<string, Writer>(),
  purgedFiles: new Set<string>(),
});

const NO_WRITER: Writer = { mayWrite: false, changes: 0 };
const STRANGER: Membership = { isMember: false, joins: 0, roles: 0, leaves: 0 };
const keyOf = (repo_id: number, agent: string): string => `${repo_id} ${agent}`;

export const noRepository = refusal(
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
    repositories.set(body.repo_id, { founder: body.agent, head: undefined, named: 0 });
    memberships.set(keyOf(body.repo_id, body.agent), { ...STRANGER, isMember: true });
  },
});

interface OfMember {
  readonly body: { readonly repo_id: number; readonly agent: string };
}

const standing = (
  { repositories, memberships, agents }: RepositoriesState,
  { body }: OfMember,
) => ({
  isThere: repositories.has(body.repo_id),
  agent: partyOf(agents.get(body.agent)),
  known: memberships.get(keyOf(body.repo_id, body.agent)) ?? STRANGER,
});

export const repoJoin = transition(entries.repoJoin, {
  refuses: {
    repository: noRepository,
    unknown: unknownCaller,
    banned: bannedAgent,
    member: fault("The agent is a member already."),
    count: fault("An agent's joins of a repository are counted."),
  },
  before: standing,
  rule({ isThere, agent, known }, entry, refuses) {
    if (!isThere) return refuses.repository;
    if (agent === undefined) return refuses.unknown;
    if (isBanned(agent, entry)) return refuses.banned;
    if (known.isMember) return refuses.member;
    return numberIn(entry.ref) === known.joins + 1 ? undefined : refuses.count;
  },
  evolve({ memberships }, { body }) {
    const key = keyOf(body.repo_id, body.agent);
    const was = memberships.get(key) ?? STRANGER;
    memberships.set(key, { ...was, isMember: true, joins: was.joins + 1 });
  },
});

export const repoRole = transition(entries.repoRole, {
  refuses: {
    stranger: fault(notAMember.sentence),
    banned: bannedAgent,
    count: fault("An agent's changes of role are counted."),
  },
  before: standing,
  rule({ agent, known }, entry, refuses) {
    if (!known.isMember) return refuses.stranger;
    if (isBanned(agent, entry)) return refuses.banned;
    return numberIn(entry.ref) === known.roles + 1 ? undefined : refuses.count;
  },
  evolve({ memberships }, { body }) {
    const key = keyOf(body.repo_id, body.agent);
    become(memberships, key, (was) => ({ ...was, roles: was.roles + 1 }));
  },
});

export const repoLeave = transition(entries.repoLeave, {
  refuses: {
    repository: noRepository,
    stranger: notAMember,
    banned: bannedAgent,
    count: fault("An agent's leaves of a repository are counted."),
  },
  before: standing,
  rule({ isThere, agent, known }, entry, refuses) {
    if (!isThere) return refuses.repository;
    if (!known.isMember) return refuses.stranger;
    if (isBanned(agent, entry)) return refuses.banned;
    return numberIn(entry.ref) === known.leaves + 1 ? undefined : refuses.count;
  },
  evolve({ memberships }, { body }) {
    const key = keyOf(body.repo_id, body.agent);
    become(memberships, key, (was) => ({ ...was, isMember: false, leaves: was.leaves + 1 }));
  },
});

/** What a commit with files follows: who may make it, and the one before. */
interface Files {
  readonly founder: string;
  readonly isNamed: boolean;
  readonly head: number | undefined;
}

export const repoCommit = transition(entries.repoCommit, {
  refuses: {
    repository: noRepository,
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
  before(state: RepositoriesState, entry) {
    const { isThere, agent, known } = standing(state, entry);
    const files = entry.body.tree_sha256 === undefined ? null : filesOf(state, entry);
    return { isThere, agent, isMember: known.isMember, files };
  },
  isTimed: (_, { body }) => body.tree_sha256 !== undefined,
  rule({ isThere, agent, isMember, files }, entry, refuses) {
    if (!isThere) return refuses.repository;
    if (!isMember) return refuses.stranger;
    if (isBanned(agent, entry)) return refuses.banned;
    const { parent, agent: author } = entry.body;
    if (files !== null && author !== files.founder && !files.isNamed) return refuses.reader;
    return parent === files?.head ? undefined : refuses.parent;
  },
  evolve(state, { at, body: { agent, repo_id, commit_id: head, tree_sha256 } }) {
    didAct(state, at, agent, `commit/${head}`);
    if (tree_sha256 !== undefined) become(state.repositories, repo_id, (was) => ({ ...was, head }));
  },
});

function filesOf({ repositories, writers }: RepositoriesState, { body }: OfMember): Files {
  const { founder = "", head } = repositories.get(body.repo_id) ?? {};
  const isNamed = writers.get(keyOf(body.repo_id, body.agent))?.mayWrite === true;
  return { founder, isNamed, head };
}

export const repoWriter = transition(entries.repoWriter, {
  refuses: {
    repository: noRepository,
    founder: refusal("not_the_founder", "Only the founder of a repository names its writers."),
    banned: bannedAgent,
    unknown: unknownAgent,
    same: fault("A writer is named who is none yet, or taken back who is one."),
    count: fault("The changes of a writer are counted."),
    full: refusal("repository_full", `A repository has at most ${WRITERS_MAX} writers.`),
  },
  before({ repositories, agents, writers }: RepositoriesState, { body }) {
    const found = repositories.get(body.repo_id);
    return {
      agent: partyOf(agents.get(body.agent)),
      repository: found && { founder: found.founder, named: found.named },
      isKnown: agents.has(body.writer),
      writing: writers.get(keyOf(body.repo_id, body.writer)) ?? NO_WRITER,
    };
  },
  rule({ agent, repository, isKnown, writing }, entry, refuses) {
    const { writer, allowed } = entry.body;
    if (repository === undefined) return refuses.repository;
    if (repository.founder !== entry.body.agent) return refuses.founder;
    if (isBanned(agent, entry)) return refuses.banned;
    if (!isKnown) return refuses.unknown;
    if (writer === repository.founder || writing.mayWrite === (allowed === 1)) return refuses.same;
    if (numberIn(entry.ref) !== writing.changes + 1) return refuses.count;
    return allowed === 1 && repository.named >= WRITERS_MAX ? refuses.full : undefined;
  },
  evolve({ repositories, writers }, { body: { repo_id, writer, allowed } }) {
    const key = keyOf(repo_id, writer);
    const { changes } = writers.get(key) ?? NO_WRITER;
    const mayWrite = allowed === 1;
    writers.set(key, { mayWrite, changes: changes + 1 });
    become(repositories, repo_id, (was) => ({ ...was, named: was.named + (mayWrite ? 1 : -1) }));
  },
  actor: ({ repository }) => repository?.founder,
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

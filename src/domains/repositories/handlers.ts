import type { Agent, Context } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/engine.ts";
import type { Handlers } from "../../platform/kernel/contract/operation.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { append } from "../../platform/ledger/append.ts";
import { decide, decideChange } from "../../platform/ledger/decide.ts";
import { enactSurely } from "../../platform/ledger/rows/enact.ts";
import { demandAllowed, enactAllowed } from "../../platform/ledger/rows/enact-allowed.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import { grantReward } from "../coin/rewards.ts";
import { countNamed } from "../counters/counts.ts";
import { type repositories, repositoryCursor } from "./contract.ts";
import * as entries from "./entries.ts";
import { commitFiles } from "./files/handlers.ts";
import { changesOf } from "./files/queries.ts";
import { listFiles, showFile } from "./files/reading.ts";
import { changeWriters } from "./files/writers.ts";
import { repoCommit, repoJoin, repoLeave, repoRole } from "./ledger.ts";
import { committerIn, standingIn } from "./members.ts";
import * as sql from "./queries.ts";
import { mostActiveRepositories, repositoryAt } from "./repositories.ts";
import { rows } from "./rows.ts";
import { FOUNDER_ROLE } from "./rules.ts";
import { listCommits, listMembers, showCommit, viewRepository } from "./view.ts";

export const repositoriesHandlers: Handlers<typeof repositories, Context, Agent> = {
  async form({ write, clock, agent }, { name, mission, kind, target_usd, homepage }) {
    const target_usd_micro = target_usd === undefined ? undefined : Number(target_usd);

    return write(async (tx) => {
      const given = { name, mission, kind, target_usd_micro, homepage, role: FOUNDER_ROLE };
      const { id } = await enactSurely(tx, rows.repo, { agent, ...given }, clock.now());
      const repo = await repositoryAt(tx, id);
      if (repo === undefined) throw new Error("A repository was formed and is not there.");
      return { id, repo };
    });
  },

  async list({ read }, { limit, cursor }) {
    const [found, { n: total }] = await Promise.all([
      mostActiveRepositories(read, cursor, limit + 1),
      countNamed(read, "repo"),
    ]);
    return { ...repositoryCursor.list("repositories", found, limit), total };
  },

  get: ({ snapshot, reject }, { id }) => snapshot((read) => viewRepository({ read, reject }, id)),

  commits: ({ snapshot, reject }, asked) =>
    snapshot((read) => listCommits({ read, reject }, asked)),

  members: ({ snapshot, reject }, asked) =>
    snapshot((read) => listMembers({ read, reject }, asked)),

  async getCommit({ read, reject }, { id }) {
    const row = await sql.commitById.first(read, { id });
    if (row === undefined) return reject("commit_not_found", "There is no commit with this id.");
    const files = await changesOf.all(read, { commit_id: id });
    return { commit: showCommit(row), files };
  },

  async join(context, { repo_id, role }) {
    const { read, write, clock, agent } = context;
    const body = { repo_id, agent: agent.agent_id, role_sha256: hashOf(role) };
    /** The count of a new join; null: the agent is a member. */
    const joinOf = ({ before }: Awaited<ReturnType<typeof standingIn>>) => {
      const proposal = { body, now: clock.now(), n: before.known.joins + 1 };
      const isNew = decideChange(context, repoJoin, before, { ...proposal, same: "member" });
      return isNew ? proposal.n : null;
    };
    joinOf(await standingIn(read, repo_id, agent));

    return write(async (tx) => {
      const at = clock.now();
      const standing = await standingIn(tx, repo_id, agent);
      const n = joinOf(standing);
      if (n !== null) {
        await join(tx, { key: { repository: repo_id, agent: agent.id }, role, at });
        append(tx, entries.repoJoin, body, n);
      } else if (role !== undefined && role !== standing.role) {
        const { before } = standing;
        const change = { before, given: { repo_id, agent, role }, now: at };
        const counted = { ...change, n: before.known.roles + 1 };
        await enactAllowed(context, tx, [repoRole, rows.repoRole], counted);
      }
      const { role: current, joined_at } = await standingIn(tx, repo_id, agent);
      if (joined_at === null) throw new Error("A member has joined and is not there.");
      const { agent_id, handle } = agent;
      return {
        membership: { repo_id, agent_id, handle, role: current, joined_at, verified: false },
        already_member: n === null,
      };
    });
  },

  async leave(context, { repo_id }) {
    const { read, write, clock, agent } = context;
    const leaveIn = async (db: Db) => {
      const { before } = await standingIn(db, repo_id, agent);
      const n = before.known.leaves + 1;
      return { before, given: { repo_id, agent }, now: clock.now(), n };
    };
    demandAllowed(context, [repoLeave, rows.repoLeave], await leaveIn(read));
    return write(async (tx) => {
      await enactAllowed(context, tx, [repoLeave, rows.repoLeave], await leaveIn(tx));
      return { left: true as const };
    });
  },

  files: listFiles,
  file: showFile,
  writers: changeWriters,

  async commit(context, sent) {
    if (sent.files !== undefined) return commitFiles(context, { ...sent, files: sent.files });
    const { write, clock, agent } = context;
    const { repo_id, summary, artifact = null, hash = null, client_ref = null } = sent;
    const key = { repository: repo_id, agent: agent.id };
    const body = {
      ...{ repo_id, agent: agent.agent_id, summary_sha256: sha256Hex(summary) },
      ...{ artifact_sha256: hashOf(sent.artifact), hash: sent.hash },
    };
    const demandMember = async (db: Db) => {
      const before = await committerIn(db, repo_id, agent);
      decide(context, repoCommit, before, { body, now: clock.now() });
    };
    await demandMember(context.read);

    return write(async (tx) => {
      const at = clock.now();
      const stored = { summary, artifact, hash, client_ref, created_at: at };
      const activity = { id: repo_id, at, members: 0, commits: 1, applications: 0 };
      const [members, row] = await Promise.all([
        sql.recordMember.run(tx, { ...key, at }),
        sql.insertCommit.first(tx, { ...key, ...stored }),
        sql.recordActivity.run(tx, activity),
      ]);
      if (members === 0) await demandMember(tx); // Or this second is recorded already.
      if (row === undefined) throw new Error("A commit was inserted and has no id.");
      const { id } = row;
      append(tx, entries.repoCommit, { commit_id: id, ...body });
      const act = { agent, why: "repo_commit", source: `commit/${id}`, isFirst: true } as const;
      const reward = await grantReward(tx, context, act);
      const author = { agent_id: agent.agent_id, handle: agent.handle };
      const commit = { id, repo_id, ...stored, ...NO_FILES, agent: author };
      return { id, commit: { ...commit, verified: false }, reward };
    });
  },
};

interface Joining {
  readonly key: { readonly repository: number; readonly agent: number };
  readonly role: string | undefined;
  readonly at: Seconds;
}

/** Stores that an agent is a member from now on; it is none. */
async function join(tx: Tx, { key, role, at }: Joining): Promise<void> {
  if ((await sql.join.first(tx, { ...key, role: role ?? null, at })) === undefined)
    throw new Error("A member has joined already.");
  const activity = { id: key.repository, at, members: 1, commits: 0, applications: 0 };
  await sql.recordActivity.run(tx, activity);
}

const NO_FILES = { tree_sha256: null, parent: null, git_commit: null };

const hashOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : sha256Hex(text);

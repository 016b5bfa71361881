import type { Agent, Context } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import type { Rejects } from "../../../platform/kernel/contract/errors.ts";
import { append } from "../../../platform/ledger/append.ts";
import { decide } from "../../../platform/ledger/decide.ts";
import { sha256Hex, sha256IfAny } from "../../../platform/ledger/sha256.ts";
import { grantReward } from "../../coin/rewards.ts";
import * as entries from "../entries.ts";
import { repoCommit } from "../ledger.ts";
import { committerIn } from "../members.ts";
import * as repositories from "../queries.ts";
import { draftOf, Moved, type Prepared, prepared, settled, storeChanges } from "./committing.ts";
import { changesIn, type SentFile, type Stored } from "./contents.ts";
import * as sql from "./queries.ts";

interface SentCommit {
  readonly repo_id: number;
  readonly summary: string;
  readonly artifact?: string | undefined;
  readonly hash?: string | undefined;
  readonly client_ref?: string | undefined;
  readonly parent?: number | undefined;
  readonly files: readonly SentFile[];
}

type Refusals = Rejects<
  | "repo_not_found"
  | "not_a_member"
  | "not_a_writer"
  | "commit_not_found"
  | "conflict"
  | "repository_full"
>;

type Committing = Context & { readonly agent: Agent } & Refusals;

/** A commit is prepared so often for a history that moves on meanwhile. */
const TRIES_MAX = 4;

/**
 * Records a commit that adds, changes or deletes files (docs/reference/repositories.md). What it may not do is
 * refused before anything is hashed, and it is hashed before its transaction begins.
 */
export async function commitFiles(context: Committing, sent: SentCommit) {
  const { read, agent, chargeAhead, reject } = context;
  const { repo_id: repository, summary, parent: seen } = sent;
  await demandWriter(context, read, repository);
  const changes = changesIn(sent.files, context);
  const wanted = { repository, agent, summary, seen, changes, reject };
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const draft = await draftOf(read, wanted);
    try {
      return await chargeAhead(draft.folders.length, async () =>
        store(context, sent, { wanted, prepared: await prepared(draft, wanted) }),
      );
    } catch (error) {
      if (!(error instanceof Moved)) throw error;
    }
  }
  return reject("overloaded", "Others are changing this repository. Send this again in a second.");
}

interface Wanted {
  readonly wanted: Parameters<typeof draftOf>[1];
  readonly prepared: Prepared;
}

async function store(context: Committing, sent: SentCommit, { wanted, prepared }: Wanted) {
  const { write, clock, agent } = context;
  const { repo_id, summary, artifact = null, hash = null, client_ref = null } = sent;
  const key = { repository: repo_id, agent: agent.id };
  const { keep, ...answer } = await write(async (tx) => {
    const at = clock.now();
    const activity = { id: repo_id, at, members: 0, commits: 1, applications: 0 };
    await repositories.recordActivity.run(tx, activity);
    await demandWriter(context, tx, repo_id);
    await repositories.recordMember.run(tx, { ...key, at });
    const { tree, made, keep } = await settled(tx, { ...wanted, at }, prepared);
    const stored = { summary, artifact, hash, client_ref, created_at: at };
    const row = await repositories.insertCommit.first(tx, { ...key, ...stored, ...tree });
    if (row === undefined) throw new Error("A commit was inserted and has no id.");
    const { id } = row;
    await storeChanges(tx, { repository: repo_id, commit_id: id }, made);
    const { tree_sha256, parent, git_sha1: git_commit } = tree;
    append(tx, entries.repoCommit, {
      commit_id: id,
      repo_id,
      agent: agent.agent_id,
      summary_sha256: sha256Hex(summary),
      artifact_sha256: sha256IfAny(artifact),
      hash: sent.hash,
      tree_sha256,
      parent: parent ?? undefined,
      made_at: at,
    });
    const act = { agent, why: "repo_commit", source: `commit/${id}`, isFirst: true } as const;
    const reward = await grantReward(tx, context, act);
    const author = { agent_id: agent.agent_id, handle: agent.handle };
    const commit = { id, repo_id, ...stored, tree_sha256, parent, git_commit, agent: author };
    const files = made.map(shown);
    return { id, commit: { ...commit, verified: false as const }, files, reward, keep };
  }, "large");
  keep(answer.id);
  return answer;
}

const shown = ({ path, content }: Stored) => ({
  path,
  sha256: content?.sha256 ?? null,
  bytes: content?.bytes ?? null,
});

/** Asks whether an agent may commit files now, on top of the newest commit with files. */
async function demandWriter(context: Committing, db: Db, repository: number): Promise<void> {
  const { agent, clock } = context;
  const { agent_id } = agent;
  const [committer, writing, newest] = await Promise.all([
    committerIn(db, repository, agent),
    sql.writing.first(db, { repository, agent: agent.id }),
    sql.head.first(db, { repository }),
  ]);
  const head = newest?.id;
  const founder = writing?.founder_id ?? "";
  const before = { ...committer, files: { founder, isNamed: writing?.named_at != null, head } };
  const body = { repo_id: repository, agent: agent_id, parent: head };
  decide(context, repoCommit, before, { body, now: clock.now() });
}

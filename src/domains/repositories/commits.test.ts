import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type LedgerItem, readLedger } from "../../../test/invariants.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../test/service.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** A repository's id. */
async function form(founder: TestAgent): Promise<number> {
  return (await founder.post("/repo", { name: "Bridge", mission: "Carry messages." })).body.id;
}

/** The entries of a kind, oldest first. */
async function entriesOf(service: TestService, kind: string): Promise<LedgerItem[]> {
  await service.sequenced();
  return (await readLedger(service)).filter((entry) => entry.kind === kind);
}

const refuses = async (refused: Promise<{ status: number; body: { error: string } }>) => {
  const { status, body } = await refused;
  return `${status} ${body.error}`;
};

eachEngine("a commit is answered as the repository shows it", async (service) => {
  const { get, register, pass } = service;
  const ada = await register("ada");
  const repo_id = await form(ada);
  pass(1);
  const sent = {
    repo_id: String(repo_id),
    summary: "The first stone.\n\tMore follow.",
    artifact: "git://bridge.example/bridge.git",
    hash: "sha256:0aZ+/=_-",
    client_ref: "mine-1",
    agent: "x",
    created_at: 5,
  };
  const { status, body } = await ada.post("/repo/commit", sent);
  assert.equal(status, 201);
  const { client_ref, ...commit } = body.commit;
  assert.equal(client_ref, "mine-1");
  assert.deepEqual(commit, {
    id: body.id,
    repo_id,
    agent: { agent_id: ada.agent_id, handle: "ada" },
    summary: sent.summary,
    artifact: sent.artifact,
    hash: sent.hash,
    created_at: commit.created_at,
    tree_sha256: null,
    parent: null,
    git_commit: null,
    verified: false,
  });
  assert.notEqual(body.reward.entitlement === null, body.reward.why === null, "exactly one");
  const view = (await get(`/repo/${repo_id}`)).body;
  assert.deepEqual(view.commits, [commit], "without the author's own mark");
  assert.equal(view.repo.commits_count, 1);
  assert.equal(view.repo.last_activity_at, commit.created_at, "a commit is activity");

  const [entry] = await entriesOf(service, "repo_commit");
  const { summary, artifact, hash } = sent;
  assert.equal(entry?.ref, String(body.id));
  assert.deepEqual(entry?.body, {
    commit_id: body.id,
    repo_id,
    agent: ada.agent_id,
    summary_sha256: sha256(summary),
    artifact_sha256: sha256(artifact),
    hash,
  });
  assert.deepEqual(entry?.text, { summary, artifact });

  const bare = (await ada.post("/repo/commit", { repo_id, summary: "x" })).body.commit;
  assert.deepEqual([bare.artifact, bare.hash, bare.client_ref], [null, null, null]);
  const [, second] = await entriesOf(service, "repo_commit");
  assert.ok(!("artifact_sha256" in (second?.body ?? {})) && !("hash" in (second?.body ?? {})));
});

eachEngine("bad commits are refused with every problem", async ({ register, get }) => {
  const ada = await register();
  const repo_id = await form(ada);
  const bad = {
    repo_id,
    summary: "",
    artifact: "a\u200bb",
    hash: "not a hash",
    client_ref: "x".repeat(65),
  };
  const refused = await ada.post("/repo/commit", bad);
  assert.equal(refused.status, 422);
  const fields = refused.body.details.map((each: { field: string }) => each.field);
  assert.deepEqual(fields.sort(), ["artifact", "client_ref", "hash", "summary"]);
  const wrong = [
    { summary: "s".repeat(2_001) },
    { artifact: "a".repeat(2_049) },
    { hash: "a".repeat(129) },
    { hash: "" },
    { hash: 5 },
  ];
  for (const each of wrong) {
    const { status } = await ada.post("/repo/commit", { repo_id, summary: "x", ...each });
    assert.equal(status, 422, JSON.stringify(each));
  }
  const limits = {
    summary: "🪨".repeat(2_000),
    artifact: "🪨".repeat(2_048),
    hash: "a".repeat(128),
  };
  assert.equal((await ada.post("/repo/commit", { repo_id, ...limits })).status, 201);
  assert.equal((await get(`/repo/${repo_id}`)).body.repo.commits_count, 1);
});

eachEngine("only members commit, and what they committed stays", async (service) => {
  const { get, register } = service;
  const [ada, bob] = [await register(), await register()];
  const repo_id = await form(ada);
  const commit = () => bob.post("/repo/commit", { repo_id, summary: "By bob." });
  assert.equal(await refuses(commit()), "409 not_a_member");
  assert.equal(await refuses(bob.post("/repo/leave", { repo_id })), "409 not_a_member");
  await bob.post("/repo/join", { repo_id });
  const { commit: kept } = (await commit()).body;
  assert.equal(kept.id, 1, "a refusal draws no id");
  await bob.post("/repo/leave", { repo_id });
  assert.equal(await refuses(commit()), "409 not_a_member");
  const { repo, commits } = (await get(`/repo/${repo_id}`)).body;
  assert.equal(repo.commits_count, 1);
  assert.equal(commits[0].id, kept.id);
});

eachEngine("nothing is committed after a leaving that it raced with", async (service) => {
  const ada = await service.register();
  const repo_id = await form(ada);
  for (let round = 0; round < 10; round++) {
    const commit = () => ada.post("/repo/commit", { repo_id, summary: "x" });
    const leave = () => ada.post("/repo/leave", { repo_id });
    const raced = await Promise.all([commit(), commit(), leave(), commit(), commit()]);
    for (const { status } of raced) assert.ok([200, 201, 409].includes(status), `${status}`);
    await service.sequenced();
    const own = (await readLedger(service)).filter(({ body }) => body["repo_id"] === repo_id);
    assert.equal(own.at(-1)?.kind, "repo_leave", `round ${round}`);
    await ada.post("/repo/join", { repo_id });
  }
});

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type LedgerItem, readLedger } from "../../../test/invariants.ts";
import { times } from "../../../test/postgres-store.ts";
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

eachEngine("a member joins, takes other roles, leaves and comes back", async (service) => {
  const { get, register, pass } = service;
  const [ada, bob] = [await register("ada"), await register("bob")];
  const repo_id = await form(ada);
  const join = async (role?: string) => (await bob.post("/repo/join", { repo_id, role })).body;
  const memberIn = async () => (await get(`/repo/${repo_id}`)).body;

  pass(1);
  const first = await join("reviewer");
  const { repo_id: named, ...membership } = first.membership;
  assert.equal(named, repo_id);
  assert.equal(first.already_member, false);
  assert.deepEqual(membership, {
    agent_id: bob.agent_id,
    handle: "bob",
    role: "reviewer",
    joined_at: membership.joined_at,
    verified: false,
  });
  const { members, repo } = await memberIn();
  assert.deepEqual(members[0], membership, "the newest member comes first");
  assert.deepEqual([members.length, repo.members_count], [2, 2]);
  assert.equal(repo.last_activity_at, membership.joined_at, "joining is activity");

  pass(1);
  for (const role of [undefined, "reviewer"]) {
    const again = await join(role);
    assert.deepEqual([again.membership, again.already_member], [first.membership, true]);
  }
  assert.equal((await entriesOf(service, "repo_role")).length, 0, "nothing changed");
  const changed = await join("builder");
  assert.deepEqual(changed.membership, { ...first.membership, role: "builder" });
  assert.equal(changed.already_member, true);
  assert.deepEqual((await memberIn()).repo, repo, "a role is no activity and no member");

  assert.deepEqual((await bob.post("/repo/leave", { repo_id })).body, { ok: true, left: true });
  assert.equal(await refuses(bob.post("/repo/leave", { repo_id })), "409 not_a_member");
  assert.equal((await memberIn()).repo.members_count, 1);
  assert.equal((await memberIn()).members.length, 1);

  pass(1);
  const back = await join();
  assert.equal(back.already_member, false);
  assert.equal(back.membership.role, null, "it does not get its old role back");
  assert.equal(back.membership.joined_at, membership.joined_at + 2);
  await join("reader");

  await service.sequenced();
  const stem = `${repo_id}/${bob.agent_id}`;
  const own = (await readLedger(service)).filter(({ ref }) => ref.startsWith(stem));
  const reported = own.map(({ kind, ref, body, text }) => ({ kind, ref, body, text }));
  const body = { repo_id, agent: bob.agent_id };
  const given = (role: string) => ({ ...body, role_sha256: sha256(role) });
  assert.deepEqual(reported, [
    { kind: "repo_join", ref: `${stem}/1`, body: given("reviewer"), text: {} },
    { kind: "repo_role", ref: `${stem}/1`, body: given("builder"), text: {} },
    { kind: "repo_leave", ref: `${stem}/1`, body, text: {} },
    { kind: "repo_join", ref: `${stem}/2`, body, text: {} },
    { kind: "repo_role", ref: `${stem}/2`, body: given("reader"), text: { role: "reader" } },
  ]);
});

eachEngine("a role's text is public while the member has it", async (service) => {
  const [ada, bob] = [await service.register(), await service.register()];
  const repo_id = await form(ada);
  await bob.post("/repo/join", { repo_id, role: "builder" });
  const textsOf = async (kind: string) => (await entriesOf(service, kind)).map(({ text }) => text);
  assert.deepEqual(await textsOf("repo_join"), [{ role: "builder" }]);
  await bob.post("/repo/join", { repo_id, role: "tester" });
  await ada.post("/repo/join", { repo_id, role: "keeper" });
  assert.deepEqual(await textsOf("repo_join"), [{}]);
  const given = [{ role: "tester" }, { role: "keeper" }];
  assert.deepEqual(await textsOf("repo_role"), given, "also a founder's");
  await bob.post("/repo/leave", { repo_id });
  await ada.post("/repo/leave", { repo_id });
  assert.deepEqual(await textsOf("repo_role"), [{}, {}]);
  await bob.post("/repo/join", { repo_id, role: "reader" });
  assert.deepEqual(await textsOf("repo_join"), [{}, { role: "reader" }]);
  assert.deepEqual(await textsOf("repo_role"), [{}, {}]);
});

eachEngine("the last member may leave, and the founder's entries are counted", async (service) => {
  const ada = await service.register();
  const repo_id = await form(ada);
  await ada.post("/repo/commit", { repo_id, summary: "The first stone." });
  for (let n = 1; n <= 2; n++) {
    assert.equal((await ada.post("/repo/leave", { repo_id })).status, 200);
    const { repo, members, commits } = (await service.get(`/repo/${repo_id}`)).body;
    assert.deepEqual([repo.members_count, members], [0, []]);
    assert.equal(repo.founder.agent_id, ada.agent_id);
    assert.deepEqual([repo.commits_count, commits.length], [1, 1], "its commits stay");
    assert.equal((await ada.post("/repo/join", { repo_id })).body.already_member, false);
  }
  const refs = async (kind: string) => (await entriesOf(service, kind)).map(({ ref }) => ref);
  const counted = [`${repo_id}/${ada.agent_id}/1`, `${repo_id}/${ada.agent_id}/2`];
  assert.deepEqual(await refs("repo_leave"), counted);
  assert.deepEqual(await refs("repo_join"), counted, "the founding was none");
});

eachEngine("bad roles are refused", async ({ register }) => {
  const ada = await register();
  const repo_id = await form(ada);
  for (const role of ["", " ", "r".repeat(41), "two\nlines", 5]) {
    assert.equal((await ada.post("/repo/join", { repo_id, role })).status, 422, String(role));
  }
});

eachEngine("a malformed id is refused with the form of one", async ({ register }) => {
  const ada = await register();
  for (const repo_id of [1.5, null, true, [1], {}, -1, 0, "1.5", "-1", "0", ""]) {
    const { status, body } = await ada.post("/repo/join", { repo_id });
    assert.equal(status, 422);
    const problem = "must be a positive integer";
    assert.deepEqual(body.details, [{ field: "repo_id", problem }], JSON.stringify(repo_id));
  }
  const { body } = await ada.post("/repo/join", {});
  assert.deepEqual(body.details, [{ field: "repo_id", problem: "is required" }]);
});

eachEngine("of joins that race one makes a member, and no count is lost", async (service) => {
  const { register, get } = service;
  const ada = await register();
  const repo_id = await form(ada);
  const crowd = await Promise.all(times(4, () => register()));
  const joins = await Promise.all(
    crowd.flatMap((agent) => times(8, () => agent.post("/repo/join", { repo_id, role: "one" }))),
  );
  assert.deepEqual(new Set(joins.map(({ status }) => status)), new Set([200]));
  assert.equal(joins.filter(({ body }) => !body.already_member).length, 4);
  const commits = await Promise.all(
    crowd.flatMap((agent) => times(3, () => agent.post("/repo/commit", { repo_id, summary: "x" }))),
  );
  assert.deepEqual(new Set(commits.map(({ status }) => status)), new Set([201]));
  const { repo } = (await get(`/repo/${repo_id}`)).body;
  assert.deepEqual([repo.members_count, repo.commits_count], [5, 12]);
  const leaves = await Promise.all(
    crowd.flatMap((agent) => times(2, () => agent.post("/repo/leave", { repo_id }))),
  );
  assert.deepEqual(leaves.map(({ status }) => status).sort(), [
    ...times(4, () => 200),
    ...times(4, () => 409),
  ]);
  assert.equal((await get(`/repo/${repo_id}`)).body.repo.members_count, 1);
  assert.equal((await entriesOf(service, "repo_join")).length, 4);
  assert.equal((await entriesOf(service, "repo_role")).length, 0);
  assert.equal((await entriesOf(service, "repo_leave")).length, 4);
});

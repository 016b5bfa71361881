import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type LedgerItem, readLedger } from "../../../test/invariants.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../test/service.ts";
import { statement } from "../../../test/statement.ts";
import { agentById } from "../identity/queries.ts";
import { repositoriesOf } from "./repositories.ts";

const MISSION = "Carry messages\nbetween networks — é, 石.  ";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** A repository's id. */
async function form(founder: TestAgent, name = "Bridge"): Promise<number> {
  const { status, body } = await founder.post("/repo", { name, mission: MISSION });
  assert.equal(status, 201);
  return body.id;
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

eachEngine("a repository is answered as its view and the list show it", async (service) => {
  const ada = await service.register("ada");
  const sent = {
    name: "Bridge",
    mission: MISSION,
    kind: "protocol",
    target_usd: "1000000000.000000",
    homepage: "https://bridge.example/石?a=b#c",
    id: 9,
    founder: "x",
    members_count: 7,
    verified: true,
  };
  const { status, body } = await ada.post("/repo", sent);
  assert.equal(status, 201);
  const founder = { agent_id: ada.agent_id, handle: "ada" };
  assert.deepEqual(body.repo, {
    id: 1,
    name: sent.name,
    mission: MISSION,
    kind: sent.kind,
    target_usd: 1_000_000_000,
    homepage: sent.homepage,
    founder,
    created_at: body.repo.created_at,
    last_activity_at: body.repo.created_at,
    members_count: 1,
    commits_count: 0,
    applications_count: 0,
    git_path: "/git/1.git",
    verified: false,
  });
  assert.equal(body.id, 1);
  const view = (await service.get("/repo/1")).body;
  assert.deepEqual(view.repo, body.repo);
  const joined_at = body.repo.created_at;
  assert.deepEqual(view.members, [{ ...founder, role: "founder", joined_at, verified: false }]);
  assert.deepEqual([view.commits, view.applications], [[], []]);
  const list = (await service.get("/repos")).body;
  assert.deepEqual([list.repositories, list.count], [[body.repo], 1]);

  const [entry] = await entriesOf(service, "repo");
  assert.equal(entry?.ref, "1");
  assert.deepEqual(entry?.body, {
    repo_id: 1,
    agent: ada.agent_id,
    name_sha256: sha256(sent.name),
    mission_sha256: sha256(MISSION),
    kind_sha256: sha256(sent.kind),
    target_usd_micro: 1_000_000_000_000_000,
    homepage_sha256: sha256(sent.homepage),
  });
  const { name, mission, kind, homepage } = sent;
  assert.deepEqual(entry?.text, { name, mission, kind, homepage });
});

eachEngine("a field that the founder leaves out is null and not in the entry", async (service) => {
  const ada = await service.register();
  const { repo } = (await ada.post("/repo", { name: "石🪨", mission: "x" })).body;
  assert.deepEqual([repo.kind, repo.target_usd, repo.homepage], [null, null, null]);
  const [entry] = await entriesOf(service, "repo");
  const fields = ["agent", "mission_sha256", "name_sha256", "repo_id"];
  assert.deepEqual(Object.keys(entry?.body ?? {}).sort(), fields);
  const free = (await ada.post("/repo", { name: "Free", mission: "x", target_usd: 0 })).body.repo;
  assert.equal(free.target_usd, 0, "nothing is not the same as unsaid");
});

eachEngine("bad repositories are refused with every problem", async ({ register, get }) => {
  const ada = await register();
  const bad = {
    name: "x",
    mission: " \n ",
    kind: "k".repeat(41),
    target_usd: 1_000_000_000.000001,
    homepage: "ftp://bridge.example",
  };
  const refused = await ada.post("/repo", bad);
  assert.equal(refused.status, 422);
  const fields = refused.body.details.map((each: { field: string }) => each.field);
  assert.deepEqual(fields.sort(), ["homepage", "kind", "mission", "name", "target_usd"]);
  const good = { name: "Bridge", mission: "x" };
  const wrong = [
    { name: "two\nlines" },
    { name: "n".repeat(81) },
    { mission: "m".repeat(4_001) },
    { target_usd: -1 },
    { target_usd: "1e3" },
    { target_usd: 0.0000001 },
    { homepage: "https://user@bridge.example" },
    { homepage: "https://bridge.example\\@evil.example" },
    { homepage: "javascript:alert(1)" },
    { homepage: `https://bridge.example/${"x".repeat(2_026)}` },
    { kind: 7 },
  ];
  for (const each of wrong) {
    assert.equal((await ada.post("/repo", { ...good, ...each })).status, 422, JSON.stringify(each));
  }
  const limits = { name: "🪨".repeat(80), mission: "🪨".repeat(4_000), kind: "k".repeat(40) };
  assert.equal((await ada.post("/repo", limits)).status, 201);
  assert.equal((await get("/repos")).body.count, 1, "nothing else was stored");
});

eachEngine("an unknown repository is not found", async ({ register, get }) => {
  const ada = await register();
  assert.equal(await refuses(get("/repo/1")), "404 repo_not_found");
  assert.equal(await refuses(get("/repo/x")), "404 repo_not_found");
  for (const [path, fields] of [
    ["/repo/join", {}],
    ["/repo/leave", {}],
    ["/repo/commit", { summary: "x" }],
  ] as const) {
    assert.equal(await refuses(ada.post(path, { repo_id: 1, ...fields })), "404 repo_not_found");
    assert.equal((await ada.post(path, fields)).status, 422, "repo_id is required");
  }
});

eachEngine("the list is ranked by activity, within its limit", async ({ register, get, pass }) => {
  const [ada, bob] = [await register(), await register()];
  const ids = async (query = "") =>
    (await get(`/repos${query}`)).body.repositories.map((each: { id: number }) => each.id);
  for (const name of ["one", "two", "three", "four"]) {
    pass(1);
    await form(ada, name);
  }
  assert.deepEqual(await ids(), [4, 3, 2, 1]);
  pass(1);
  await ada.post("/repo/commit", { repo_id: 2, summary: "x" });
  assert.deepEqual(await ids(), [2, 4, 3, 1]);
  pass(1);
  await bob.post("/repo/join", { repo_id: 1 });
  assert.deepEqual(await ids(), [1, 2, 4, 3]);
  pass(1);
  await bob.post("/repo/leave", { repo_id: 1 });
  await ada.post("/repo/join", { repo_id: 3, role: "keeper" });
  assert.deepEqual(await ids("?limit=3"), [1, 2, 4], "leaving and a new role are no activity");
  for (const limit of ["0", "101", "x"]) {
    assert.equal((await get(`/repos?limit=${limit}`)).status, 422, `limit=${limit}`);
  }
});

eachEngine(
  "an application is activity of its repository, and shown until it is hidden",
  async (service) => {
    const { register, get, pass, sequenced } = service;
    const ada = await register("ada");
    const repo_id = await form(ada);
    await form(ada, "Other");
    pass(1);
    const sent = { name: "Prime finder", description: "x", homepage: "https://primes.example" };
    for (const extra of [{ repo_id, valuation_usd: "12.5" }, { repo_id }, {}])
      assert.equal((await ada.post("/app", { ...sent, ...extra })).status, 201);
    await sequenced();
    const view = (await get(`/repo/${repo_id}`)).body;
    const [second, first] = view.applications;
    assert.deepEqual([view.applications.length, view.repo.applications_count], [2, 2]);
    assert.deepEqual(first, {
      id: 1,
      slug: null,
      name: "Prime finder",
      kind: null,
      valuation_usd: 12.5,
      valuation_verified: false,
      agent: { agent_id: ada.agent_id, handle: "ada" },
      created_at: first.created_at,
      verified: false,
    });
    assert.equal(view.repo.last_activity_at, first.created_at);
    assert.deepEqual([second.id, second.valuation_usd], [2, null]);
    const [busiest, other] = (await get("/repos")).body.repositories;
    assert.deepEqual([busiest.id, other.applications_count], [repo_id, 0]);
    const hide = statement("update app set hidden_at = 1, hidings = 1 where id = 2");
    await service.service.context.write((tx) => tx.run(hide, []));
    const left = (await get(`/repo/${repo_id}`)).body.applications;
    assert.deepEqual(left, [first]);
  },
);

eachEngine("a view holds the newest 100, the counts are of all", async (service) => {
  const ada = await service.register();
  const repo_id = await form(ada);
  const fill = statement(`insert into agent (id, agent_id, created_at)
    with recursive n (n) as (select 1000 union all select n + 1 from n where n < 1119)
    select n, 'ag_' || n, 1 from n`);
  const join = statement(`insert into repository_member (repository, agent, joined_at,
    last_activity_at, joins, leaves, role_changes, joined_role_changes)
    select 1, id, id, id, 1, 0, 0, 0 from agent where id >= 1000`);
  const commit = statement(`insert into repository_commit (repository, agent, summary, created_at)
    select 1, id, 'x', 1 from agent where id >= 1000 order by id`);
  await service.service.context.write(async (tx) => {
    for (const plan of [fill, join, commit]) await tx.run(plan, []);
  });
  const { members, commits } = (await service.get(`/repo/${repo_id}`)).body;
  assert.equal(members.length, 100);
  assert.equal(members[0].agent_id, ada.agent_id, "by joining, not by row");
  assert.equal(members[1].agent_id, "ag_1119");
  assert.deepEqual([commits.length, commits[0].id, commits[99].id], [100, 120, 21]);
});

eachEngine("an agent's repositories are those it belongs to or founded", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  for (const name of ["one", "two", "three"]) {
    service.pass(1);
    await form(ada, name);
  }
  await form(bob, "four");
  const { read } = service.service.context;
  const { id: agent = 0 } = (await agentById.first(read, { agent_id: ada.agent_id })) ?? {};
  const ids = async (limit = 10) => (await repositoriesOf(read, agent, limit)).map(({ id }) => id);
  assert.deepEqual(await ids(), [3, 2, 1]);
  service.pass(1);
  await ada.post("/repo/commit", { repo_id: 2, summary: "x" });
  service.pass(1);
  await ada.post("/repo/join", { repo_id: 4 });
  await ada.post("/repo/leave", { repo_id: 1 });
  assert.deepEqual(await ids(), [4, 2, 3, 1], "the founder of one that it left stays its founder");
  await ada.post("/repo/leave", { repo_id: 4 });
  assert.deepEqual(await ids(2), [2, 3]);
});

eachEngine("writes need a token", async ({ post, register }) => {
  const repo_id = await form(await register());
  for (const path of ["/repo", "/repo/join", "/repo/leave", "/repo/commit"])
    assert.equal(await refuses(post(path, { repo_id })), "401 token_missing");
});

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { cloned } from "../../../../test/cloning.ts";
import { readLedger } from "../../../../test/invariants.ts";
import { operate, refuses } from "../../../../test/operator.ts";
import { committer, founded, type SentFile } from "../../../../test/repositories.ts";
import { eachEngine } from "../../../../test/service.ts";
import { statement } from "../../../../test/statement.ts";
import { indexNew } from "../../search/indexing.ts";
import { COMMIT_FILES_MAX, FOLDER_FILES_MAX } from "../rules.ts";
import { REMOVED_CONTENT } from "./git-objects.ts";
import { purgeFile } from "./purging.ts";

const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");

eachEngine("a commit brings files, and git clones them", async (service) => {
  const { ada, repo_id } = await founded(service);
  const commit = committer(ada, repo_id);
  const bytes = Buffer.from([0, 255, 1, 254, 10]);
  const first = await commit([
    { path: "README.md", text: "# Tool\n" },
    { path: "src/ä/main.py", text: "print(1)\r\n" },
    { path: "src/logo.bin", base64: bytes.toString("base64") },
    { path: "empty", text: "" },
  ]);
  assert.equal(first.status, 201, JSON.stringify(first.body));
  assert.equal(first.body.files.length, 4);
  const second = await commit(
    [
      { path: "README.md", text: "# The tool\n" },
      { path: "src/ä/main.py", delete: 1 },
    ],
    { parent: first.body.id, summary: "Renames it.\n\nWith a body." },
  );
  assert.equal(second.status, 201, JSON.stringify(second.body));
  assert.equal(second.body.commit.parent, first.body.id);

  await cloned(service, repo_id, async (git, dir) => {
    assert.equal(await git("rev-parse", "HEAD"), second.body.commit.git_commit);
    assert.equal(await git("rev-parse", "HEAD~1"), first.body.commit.git_commit);
    assert.equal(await git("log", "-1", "--format=%an %s"), `${ada.agent_id} Renames it.`);
    assert.equal(await git("status", "--porcelain"), "");
    assert.deepEqual(await readFile(join(dir, "src/logo.bin")), bytes);
    assert.equal(await readFile(join(dir, "README.md"), "utf8"), "# The tool\n");
    assert.equal(
      await git("ls-tree", "-r", "--name-only", "HEAD"),
      "README.md\nempty\nsrc/logo.bin",
    );
  });

  const { body: list } = await service.get(`/repo/${repo_id}/files`);
  assert.deepEqual(
    list.files.map(({ path, commit_id }: { path: string; commit_id: number }) => [path, commit_id]),
    [
      ["README.md", second.body.id],
      ["empty", first.body.id],
      ["src/logo.bin", first.body.id],
    ],
  );
  const { body: before } = await service.get(`/repo/${repo_id}/files?at=${first.body.id}&limit=3`);
  const { body: rest } = await service.get(
    `/repo/${repo_id}/files?at=${first.body.id}&limit=3&cursor=${before.next}`,
  );
  assert.deepEqual(
    [...before.files, ...rest.files].map(({ path }: { path: string }) => path),
    ["README.md", "empty", "src/logo.bin", "src/ä/main.py"],
  );
  const at = async (query: string) => (await service.get(`/repo/${repo_id}/file?${query}`)).body;
  assert.equal((await at("path=README.md")).file.text, "# The tool\n");
  assert.equal((await at(`path=README.md&at=${first.body.id}`)).file.text, "# Tool\n");
  assert.equal((await at("path=src/logo.bin")).file.base64, bytes.toString("base64"));
  assert.equal((await at("path=src/%C3%A4/main.py")).error, "file_not_found");
  const { body: page } = await service.get(`/commit/${second.body.id}`);
  assert.deepEqual(page.files, [
    { path: "README.md", sha256: sha256("# The tool\n"), bytes: 11 },
    { path: "src/ä/main.py", sha256: null, bytes: null },
  ]);
});

eachEngine("the ledger seals the tree of a commit and the commit before it", async (service) => {
  const { ada, repo_id } = await founded(service);
  const commit = committer(ada, repo_id);
  const first = await commit([
    { path: "b", text: "2" },
    { path: "a", text: "1" },
  ]);
  await ada.post("/repo/commit", { repo_id, summary: "Words alone." });
  const second = await commit([{ path: "b", delete: 1 }], { parent: first.body.id });
  await service.sequenced();
  const sealed = (await readLedger(service)).filter(({ kind }) => kind === "repo_commit");
  const [one, two, three] = sealed.map(({ body }) => body);
  const line = (path: string, text: string) => `${path}\0${sha256(text)}\n`;
  assert.equal(one?.["tree_sha256"], sha256(line("a", "1") + line("b", "2")));
  assert.equal(one?.["parent"], undefined);
  assert.equal(two?.["tree_sha256"], undefined);
  assert.equal(three?.["tree_sha256"], sha256(line("a", "1")));
  assert.equal(three?.["parent"], first.body.id);
  assert.equal(second.body.commit.tree_sha256, three?.["tree_sha256"]);
});

eachEngine("only the founder and whom it names write files", async (service) => {
  const { ada, repo_id } = await founded(service);
  const [bob, eve] = [await service.register("bob"), await service.register("eve")];
  for (const agent of [bob, eve]) await agent.post("/repo/join", { repo_id });
  const file = [{ path: "a", text: "1" }];
  const refused = await committer(bob, repo_id)(file);
  assert.deepEqual([refused.status, refused.body.error], [409, "not_a_writer"]);
  const strange = await eve.post("/repo/writers", { repo_id, agent: eve.agent_id });
  assert.deepEqual([strange.status, strange.body.error], [409, "not_the_founder"]);
  const named = await ada.post("/repo/writers", { repo_id, agent: bob.agent_id });
  assert.deepEqual([named.status, named.body.changed], [200, true]);
  assert.equal((await ada.post("/repo/writers", { repo_id, agent: "bob" })).body.changed, false);
  assert.equal((await committer(bob, repo_id)(file)).status, 201);
  const { body: page } = await service.get(`/repo/${repo_id}`);
  assert.deepEqual(page.writers, [{ agent_id: bob.agent_id, handle: "bob" }]);
  await ada.post("/repo/writers", { repo_id, agent: "bob", remove: true });
  assert.equal(
    (await committer(bob, repo_id)([{ path: "b", text: "1" }])).body.error,
    "not_a_writer",
  );
  const words = await bob.post("/repo/commit", { repo_id, summary: "Words need no writer." });
  assert.equal(words.status, 201);
});

eachEngine("a change of a file names the commit that was seen", async (service) => {
  const { ada, repo_id } = await founded(service);
  const commit = committer(ada, repo_id);
  const { body: first } = await commit([
    { path: "a", text: "1" },
    { path: "b", text: "1" },
  ]);
  const unseen = await commit([{ path: "a", text: "2" }]);
  assert.equal(unseen.status, 422);
  assert.match(
    unseen.body.details[0].problem,
    new RegExp(`newest commit with files is ${first.id}`),
  );
  const { body: second } = await commit([{ path: "a", text: "2" }], { parent: first.id });
  const late = await commit([{ path: "a", text: "3" }], { parent: first.id });
  assert.deepEqual([late.status, late.body.error], [409, "conflict"]);
  assert.equal(late.body.details[0].field, "a");
  const other = await commit([{ path: "b", text: "3" }], { parent: first.id });
  assert.equal(other.status, 201, "another path may change beside it");
  assert.equal(other.body.commit.parent, second.id);
  const fresh = await commit([{ path: "c", text: "1" }]);
  assert.equal(fresh.status, 201, "a new path needs no parent");
  const same = await commit([{ path: "c", text: "1" }], { parent: fresh.body.id });
  assert.deepEqual([same.status, same.body.details[0].problem], [422, "change nothing"]);
  const gone = await commit([{ path: "x", delete: 1 }], { parent: fresh.body.id });
  assert.deepEqual([gone.status, gone.body.error], [409, "conflict"]);
  const strange = await commit([{ path: "a", text: "9" }], { parent: 999 });
  assert.equal(strange.body.error, "commit_not_found");
});

eachEngine("of two writers of one path one is told", async (service) => {
  const { ada, repo_id } = await founded(service);
  const bob = await service.register("bob");
  await bob.post("/repo/join", { repo_id });
  await ada.post("/repo/writers", { repo_id, agent: "bob" });
  const { body: first } = await committer(ada, repo_id)([{ path: "a", text: "0" }]);
  for (let round = 1, parent = first.id; round <= 5; round++) {
    const both = await Promise.all(
      [ada, bob].map((agent, i) =>
        committer(agent, repo_id)([{ path: "a", text: `${round} ${i}` }], { parent }),
      ),
    );
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
    parent = both.find(({ status }) => status === 201)?.body.id;
  }
  await cloned(service, repo_id, async (git) => {
    assert.equal(await git("rev-list", "--count", "HEAD"), "6");
  });
});

/** Paths that clone and harm, or that another system takes for another file. */
const REFUSED_PATHS = [
  ".GitHub/x",
  ".github2",
  ".gitlab-ci.yaml",
  "GITHUB~1",
  "",
  "/a",
  "a/",
  "a//b",
  ".",
  "..",
  "a/../b",
  "./a",
  ".git",
  ".GIT/config",
  "git~1/config",
  ".g\u200cit/config",
  ".git::$INDEX_ALLOCATION/config",
  ".git./config",
  ".git /config",
  "a\\..\\evil",
  ".git\\config",
  ".gitmodules",
  ".gitmodul\u200ces",
  ".gitattributes",
  "GITMOD~1",
  "gi7eba~1",
  "CON",
  "aux.txt",
  "Com1.log",
  "nul .x",
  "C:evil",
  "a?b",
  "a*b",
  "a|b",
  "a<b",
  'a"b',
  "\u4e2d".repeat(67),
  `${"a/".repeat(16)}b`,
  "-rf",
  "a/--upload-pack=x",
  "a\nb",
  "a\u0000b",
  "a\u007fb",
  "a\u202etxt.exe",
  "a\u2066b",
  "foo.",
  "foo ",
  "e\u0301.txt",
];
const ALLOWED_PATHS = [
  ".github/workflows/test.yml",
  ".gitlab-ci.yml",
  ".gitlab/a",
  ".gitignore",
  "a/.gitkeep",
  ".env",
  "a b",
  "\u00e9.txt",
  "a\u00a0b",
  "x-y",
  "config",
  "a~1",
  "con-text",
  "console.log",
  "\u4e2d".repeat(66),
  `${"a/".repeat(15)}b`,
  "git",
  "a.git",
];

eachEngine("a path that some system takes for another is refused", async (service) => {
  const { ada, repo_id } = await founded(service);
  const commit = committer(ada, repo_id);
  for (const path of REFUSED_PATHS) {
    const { status, body } = await commit([{ path, text: "x" }]);
    assert.equal(`${status} ${body.error}`, "422 validation_failed", JSON.stringify(path));
  }
  const all = await commit(ALLOWED_PATHS.map((path) => ({ path, text: path })));
  assert.equal(all.status, 201, JSON.stringify(all.body));
  for (const [one, other] of [
    ["Src/a", "src/b"],
    ["\u017fo", "so"],
    ["stra\u00dfe", "STRASSE"],
    ["f", "f/g"],
    ["h/i", "h"],
  ]) {
    const { status, body } = await commit([one, other].map((path = "") => ({ path, text: "x" })));
    assert.equal(`${status} ${body.error}`, "409 conflict", `${one} ${other}`);
  }
  await cloned(service, repo_id, async (git) => {
    assert.equal((await git("ls-files", "-z")).split("\0").length - 1, ALLOWED_PATHS.length);
  });
});

eachEngine("the bounds of files are told", async (service) => {
  const { ada, repo_id } = await founded(service);
  const commit = committer(ada, repo_id);
  const problem = async (files: readonly SentFile[]) => {
    const { status, body } = await commit(files);
    return `${status} ${body.details?.[0]?.field} ${body.details?.[0]?.problem}`;
  };
  const half = "x".repeat(300_000);
  assert.match(
    await problem([
      { path: "a", text: half },
      { path: "b", text: half },
    ]),
    /^422 files come to 600000 bytes; at most 524288$/,
  );
  assert.match(await problem([{ path: "a" }]), /^422 files.0 must have one of/);
  assert.match(await problem([{ path: "a", text: "", delete: 1 }]), /^422 files.0 must have one/);
  assert.match(await problem([{ path: "a", base64: "====" }]), /^422 files.0 has no base64/);
  assert.match(await problem([{ path: "a", base64: "AAB=" }]), /^422 files.0 has no base64/);
  const twice = [
    { path: "a", text: "" },
    { path: "a", text: "1" },
  ];
  assert.match(await problem(twice), /^422 files.1.path stands twice/);
  const many = (n: number, from = 0) =>
    Array.from({ length: n }, (_, i) => ({ path: `f${from + i}`, text: `${i}` }));
  assert.match(await problem(many(COMMIT_FILES_MAX + 1)), /^422 files/);
  for (let from = 0; from < FOLDER_FILES_MAX; from += COMMIT_FILES_MAX)
    assert.equal((await commit(many(COMMIT_FILES_MAX, from))).status, 201);
  const full = await commit([{ path: "one-more", text: "" }]);
  assert.deepEqual([full.status, full.body.error], [409, "repository_full"]);
  assert.equal((await commit([{ path: "d/one-more", text: "" }])).status, 201);
});

eachEngine(
  "a content that is removed is gone everywhere, and clones stay whole",
  async (service) => {
    const { ada, repo_id } = await founded(service);
    const commit = committer(ada, repo_id);
    const secret = "A secret of somebody.\n";
    await commit([{ path: "fine", text: "fine" }]);
    const { body: bad } = await commit([
      { path: "bad", text: secret },
      { path: "twin", text: secret },
    ]);
    const { body: last } = await commit([{ path: "more", text: "more" }]);
    const reason = "It names somebody.";
    const purged = await purgeFile(service.service.context, { sha256: sha256(secret), reason });
    assert.deepEqual(purged, { outcome: "purged", bytes: secret.length, repositories: 1 });
    const { body } = await service.get(`/repo/${repo_id}/file?path=bad`);
    assert.deepEqual([body.file.text, body.file.sha256], [null, sha256(secret)]);
    assert.ok(body.file.removed_at > 0);
    await cloned(service, repo_id, async (git, dir) => {
      assert.equal(await readFile(join(dir, "bad"), "utf8"), REMOVED_CONTENT);
      assert.equal(await git("rev-list", "--count", "HEAD"), "3");
      const tip = await git("rev-parse", "HEAD");
      assert.notEqual(tip, last.commit.git_commit);
      assert.equal(tip, (await service.get(`/commit/${last.id}`)).body.commit.git_commit);
    });
    const again = await commit([{ path: "again", text: secret }]);
    assert.deepEqual([again.status, again.body.error], [409, "conflict"]);
    assert.equal(
      (await service.get(`/commit/${bad.id}`)).body.commit.tree_sha256,
      bad.commit.tree_sha256,
    );
  },
);

eachEngine("a hidden content is missing everywhere, and comes back as it was", async (service) => {
  const { ada, repo_id } = await founded(service);
  const commit = committer(ada, repo_id);
  const secret = "Jane Doe lives here, says zebrafish.\n";
  const { body: first } = await commit([
    { path: "bad", text: secret },
    { path: "twin", text: secret },
  ]);
  await commit([{ path: "more", text: "more" }]);
  const own = service.service;
  const name = sha256(secret);
  const file = async () => (await service.get(`/repo/${repo_id}/file?path=bad`)).body.file;
  const found = async () => {
    await service.sequenced();
    await indexNew({ ...own.context, yieldToRequests: async () => {} });
    service.pass(1);
    return (await service.get("/search?q=zebrafish")).body.results.length;
  };
  const gitCommit = async () => (await service.get(`/commit/${first.id}`)).body.commit.git_commit;
  const shown = { file: await file(), found: await found(), git: await gitCommit() };
  assert.deepEqual([shown.file.text, shown.file.removed_at, shown.found], [secret, null, 1]);

  await operate(own, "text hide", "file", name, "--rule", "R3");
  const hidden = await file();
  assert.deepEqual([hidden.text, hidden.base64, hidden.sha256], [null, null, name]);
  assert.ok(hidden.removed_at > 0);
  assert.equal(await found(), 0);
  await cloned(service, repo_id, async (git, dir) => {
    for (const path of ["bad", "twin"])
      assert.equal(await readFile(join(dir, path), "utf8"), REMOVED_CONTENT);
    assert.equal(await git("rev-list", "--count", "HEAD"), "2");
  });
  assert.notEqual(await gitCommit(), shown.git);
  const again = await commit([{ path: "again", text: secret }]);
  assert.deepEqual([again.status, again.body.error], [409, "conflict"]);
  const { facts } = await operate(own, "file show", name);
  assert.deepEqual([facts["kept"], facts["text"]], [true, secret]);
  await refuses(own, ["file purge", name, "--reason", "Gone."], /hidden/);
  const { entries } = (await service.get("/since?after_id=0&kinds=text_hidden")).body;
  assert.deepEqual(entries[0].body, { agent: ada.agent_id, of: "file", of_ref: name, rule: "R3" });

  await operate(own, "text show-again", "file", name);
  assert.deepEqual({ file: await file(), found: await found(), git: await gitCommit() }, shown);
  await cloned(service, repo_id, async (_, dir) => {
    assert.equal(await readFile(join(dir, "bad"), "utf8"), secret);
  });
  await operate(own, "text hide", "file", sha256("more"));
  await operate(own, "file purge", name, "--reason", "Gone.");
  await refuses(own, ["text hide", "file", name], /There is no such text/);
});

eachEngine("a content with the SHA-1 of another one is refused", async (service) => {
  const { ada, repo_id } = await founded(service);
  const commit = committer(ada, repo_id);
  await commit([{ path: "a", text: "one" }]);
  const gitId = (text: string) =>
    createHash("sha1").update(`blob ${text.length}\0${text}`).digest("hex");
  const set = (id: string) =>
    service.service.context.write((tx) =>
      tx.run(statement(`UPDATE repository_blob SET git_sha1 = '${id}'`), []),
    );
  await set(gitId("two")); // As if both contents had one id.
  const { status, body } = await commit([{ path: "b", text: "two" }]);
  assert.deepEqual([status, body.error, body.details[0].field], [409, "conflict", "b"]);
  await set(gitId("one"));
  assert.equal((await commit([{ path: "b", text: "two" }])).status, 201);
});

eachEngine(
  "git finds nothing but its objects, and an empty repository is empty",
  async (service) => {
    const { repo_id } = await founded(service);
    const at = async (path: string) => {
      const response = await fetch(`${service.url}/git/${path}`, {
        headers: { "user-agent": "git" },
      });
      const { headers, status } = response;
      return { status, text: await response.text(), type: headers.get("content-type"), headers };
    };
    const refs = await at(`${repo_id}.git/info/refs`);
    assert.deepEqual([refs.status, refs.text, refs.type], [200, "", "text/plain; charset=utf-8"]);
    assert.equal(refs.headers.get("x-content-type-options"), "nosniff");
    for (const path of ["999.git/info/refs", `${repo_id}/info/refs`, `${repo_id}.git/config`, "x"])
      assert.equal((await at(path)).status, 404, path);
    const pushed = await fetch(`${service.url}/git/${repo_id}.git/git-receive-pack`, {
      method: "POST",
    });
    assert.equal(pushed.status, 405);
    assert.equal(pushed.headers.get("allow"), "GET, HEAD, OPTIONS");
  },
);

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { cloned, type Git } from "../../../test/cloning.ts";
import { committer, deepFiles, founded } from "../../../test/repositories.ts";
import { eachEngine, type TestService } from "../../../test/service.ts";
import { pktLine } from "./pkt-line.ts";

/** A repository in several packs, whose files go and come back. */
async function grown(service: TestService) {
  const { ada, repo_id } = await founded(service);
  const commit = committer(ada, repo_id);
  const ids: string[] = [];
  let parent: number | undefined;
  const add = async (files: Parameters<typeof commit>[0]) => {
    const { status, body } = await commit(files, parent === undefined ? {} : { parent });
    assert.equal(status, 201, JSON.stringify(body));
    parent = body.id;
    ids.push(body.commit.git_commit);
  };
  await add([
    { path: "README.md", text: "One.\n" },
    { path: "back", text: "Comes back.\n" },
  ]);
  for (let n = 0; n < 12; n++) await add(deepFiles(60, 0, n % 2 === 0 ? "even" : `odd ${n}`));
  await add([{ path: "back", delete: 1 }]);
  await add([{ path: "back", text: "Comes back.\n" }]);
  return { repo_id, ids, add };
}

const countOf = async (git: Git) => Number(await git("rev-list", "--count", "HEAD"));

eachEngine("git clones whole, shallow and without a program on the other side", async (service) => {
  const { repo_id, ids, add } = await grown(service);
  const packs = await (await fetch(`${service.url}/git/${repo_id}.git/objects/info/packs`)).text();
  assert.ok(packs.split("\n").length > 3, `${packs} are several packs`);
  const known: string[] = [];
  await cloned(service, repo_id, async (git, dir) => {
    assert.equal(await git("rev-parse", "HEAD"), ids.at(-1));
    assert.equal(await countOf(git), ids.length);
    known.push(await git("rev-list", "--objects", "--all", "--no-object-names"));
    await add([{ path: "later/file", text: "Later.\n" }]);
    await git("pull", "-q");
    assert.equal(await git("rev-parse", "HEAD"), ids.at(-1));
    assert.equal(await readFile(join(dir, "later/file"), "utf8"), "Later.\n");
    await git("fsck", "--strict", "--full");
    await assert.rejects(git("push", "origin", "HEAD:other"), /Nobody can push here/);
  });
  const dumb = { isDumb: true } as const;
  const all = async (git: Git) => {
    assert.equal(await git("rev-parse", "HEAD"), ids.at(-1));
    assert.equal(await countOf(git), ids.length);
    const objects = await git("rev-list", "--objects", ids.at(-2) ?? "", "--no-object-names");
    assert.deepEqual(objects.split("\n").sort(), (known[0] ?? "").split("\n").sort());
  };
  await cloned(service, repo_id, all, dumb);
  await cloned(service, repo_id, all);
});

eachEngine(
  "a shallow clone gets what it asks for, and more when it asks again",
  async (service) => {
    const { repo_id, ids, add } = await grown(service);
    const options = ["--depth", "1"];
    await cloned(
      service,
      repo_id,
      async (git, dir) => {
        assert.equal(await countOf(git), 1);
        assert.equal(await readFile(join(dir, "back"), "utf8"), "Comes back.\n");
        assert.equal(await git("status", "--porcelain"), "");
        await add([{ path: "later", text: "Later.\n" }]);
        await git("pull", "-q", "--ff-only");
        assert.equal(await countOf(git), 2);
        await git("fetch", "-q", "--depth", "7");
        assert.equal(await countOf(git), 7);
        await git("fsck", "--strict", "--full");
        await git("fetch", "-q", "--unshallow");
        assert.equal(await countOf(git), ids.length);
        await git("fsck", "--strict", "--full");
      },
      { options },
    );
    const more = { options: ["--depth", "1000", "-c", "protocol.version=0"] };
    await cloned(
      service,
      repo_id,
      async (git) => assert.equal(await countOf(git), ids.length),
      more,
    );
  },
);

eachEngine("git shows why it gets no pack", async (service) => {
  const { repo_id } = await grown(service);
  const ask = async (body: string | Uint8Array<ArrayBuffer>, headers = {}, id = repo_id) => {
    const answer = await fetch(`${service.url}/git/${id}.git/git-upload-pack`, {
      method: "POST",
      headers: { "content-type": "application/x-git-upload-pack-request", ...headers },
      body,
    });
    return `${answer.status} ${await answer.text()}`;
  };
  const want = (id: string, caps = " side-band-64k") => pktLine(`want ${id}${caps}\n`);
  const unknown = `${want("1".repeat(40))}0000${pktLine("done\n")}`;
  assert.match(await ask(unknown), /^200 [0-9a-f]{4}ERR There is no such commit here/);
  assert.match(await ask(unknown, {}, 99), /^200 [0-9a-f]{4}ERR There is no such commit here/);
  assert.match(
    await ask(new Uint8Array(gzipSync(unknown)), { "content-encoding": "gzip" }),
    /ERR There is no such commit here/,
  );
  assert.match(await ask("zzzz"), /^400 .*bad_request/);
  assert.match(await ask("0005"), /^400 .*bad_request/);
  assert.match(await ask(`${pktLine("push me\n")}0000`), /^400 .*bad_request/);
  const bomb = new Uint8Array(gzipSync(Buffer.alloc(1_000_000)));
  assert.match(await ask(bomb, { "content-encoding": "gzip" }), /^400 .*bad_request/);
  assert.match(await ask(unknown, { "content-type": "text/plain" }), /^415 /);
  assert.match(await ask("0".repeat(200_000)), /^413 /);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { committer, deepFiles, founded } from "../../../../test/repositories.ts";
import {
  ENGINES,
  eachEngine,
  openTestService,
  type TestService,
} from "../../../../test/service.ts";
import type { Db } from "../../../platform/db/engine.ts";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import { COMMIT_FOLDERS_MAX, FOLDER_FOLDERS_MAX, FOLDERS_MAX } from "../rules.ts";
import { packFile, packNames, packsOf } from "./history.ts";

/** A `Db` that counts what it is asked. */
function counting({ service }: TestService): { readonly read: Db; readonly asked: () => number } {
  const { read: own } = service.context;
  let asked = 0;
  const read: Db = {
    ...own,
    all(plan, values) {
      asked++;
      return own.all(plan, values);
    },
  };
  return { read, asked: () => asked };
}

/** So many commits, each of the same 100 files in 900 folders. */
async function deepHistory(service: TestService, commits: number) {
  const { ada, repo_id } = await founded(service);
  const commit = committer(ada, repo_id);
  const ids: string[] = [];
  for (let n = 0, parent: object = {}; n < commits; n++) {
    const { status, body } = await commit(deepFiles(100, 0, `${n}`), parent);
    assert.equal(status, 201, JSON.stringify(body));
    parent = { parent: body.id };
    ids.push(body.commit.git_commit);
  }
  return { ada, repo_id, commit, ids };
}

eachEngine("others are answered while a pack is made", async (service) => {
  const { repo_id } = await deepHistory(service, 12);
  const { read } = service.service.context;
  const [name = ""] = await packNames(read, repo_id);
  let [longest_ms, isOver, turns] = [0, false, 0];
  const looking = (async () => {
    for (let last_ms = performance.now(); !isOver; turns++) {
      await turn();
      longest_ms = Math.max(longest_ms, performance.now() - last_ms);
      last_ms = performance.now();
    }
  })();
  const began_ms = performance.now();
  const file = { repository: repo_id, name, kind: "idx" } as const;
  assert.notEqual(await packFile(packsOf(), read, file), null);
  const took_ms = performance.now() - began_ms;
  isOver = true;
  await looking;
  assert.ok(turns >= 10, `${turns} turns`);
  assert.ok(longest_ms < took_ms / 2, `${longest_ms} ms of ${took_ms} ms at once`);
});

eachEngine("a pack is made once, and all names of it are cut from it", async (service) => {
  const { repo_id, ids } = await deepHistory(service, 5);
  const { read, asked } = counting(service);
  const packs = packsOf();
  const nameOf = (to: number) =>
    `${"1".padStart(8, "0")}${to.toString(16).padStart(8, "0")}${ids[to - 1]?.slice(0, 24)}`;
  const costs = async (to: number, kind: "pack" | "idx") => {
    const before = asked();
    const found = await packFile(packs, read, { repository: repo_id, name: nameOf(to), kind });
    assert.notEqual(found, null, `${to}`);
    return { queries: asked() - before, found };
  };
  const first = await costs(5, "idx");
  assert.ok(first.queries > 5, `${first.queries}`);
  for (const to of [5, 4, 3, 2, 1, 5])
    for (const kind of ["idx", "pack"] as const)
      assert.ok((await costs(to, kind)).queries <= 1, `${to} ${kind}`);
  const [whole, part] = [(await costs(5, "pack")).found, (await costs(2, "pack")).found];
  assert.ok(Number(part?.length) < Number(whole?.length));
  assert.deepEqual(part?.subarray(12, -20), whole?.subarray(12, Number(part?.length) - 20));
  const other = { repository: repo_id, name: nameOf(3).replace(/.$/, "_"), kind: "pack" } as const;
  assert.equal(await packFile(packs, read, other), null);
});

eachEngine("packs are made two at once, and few wait", async (service) => {
  const { repo_id: repository } = await deepHistory(service, 3);
  const packs = packsOf();
  let [begun, most] = [0, 0];
  const { read: own } = service.service.context;
  const gate = Promise.withResolvers<void>();
  const read: Db = {
    ...own,
    async all(plan, values) {
      most = Math.max(most, ++begun);
      await gate.promise;
      return own.all(plan, values);
    },
  };
  const ask = (from: number, holder: string) =>
    packs.others(read, { repository, from, to: 3 }, holder).catch((error: unknown) => error);
  const all = Array.from({ length: 13 }, (_, i) => ask((i % 3) + 1, "one"));
  const others = [ask(1, "other"), ask(2, "other")];
  await turn();
  assert.equal(most, 2);
  gate.resolve();
  const ended = await Promise.all(all);
  const refused = ended.filter((each) => each instanceof Rejection);
  assert.deepEqual(
    refused.map(({ code, status }) => `${status} ${code}`),
    Array(3).fill("503 overloaded"),
  );
  assert.ok(refused.every(({ retryAfter_s }) => Number(retryAfter_s) > 1));
  assert.ok((await Promise.all(others)).every((each) => !(each instanceof Rejection)));
});

eachEngine("folders of a commit, of a folder and of a repository are bounded", async (service) => {
  const { ada, repo_id } = await founded(service);
  const commit = committer(ada, repo_id);
  const answer = async (files: Parameters<typeof commit>[0]) => {
    const { status, body } = await commit(files);
    const { field = "", problem = "" } = body.details?.[0] ?? {};
    return status === 201 ? "201" : `${status} ${body.error} ${field} ${problem}`;
  };
  const deeper = (n: number, from = 0) =>
    deepFiles(n, from, "").map((file, i) => ({
      ...file,
      path: `${(from + i).toString(36)}/${"b/".repeat(12)}f`,
    }));
  assert.equal(
    await answer(deeper(100)),
    `422 validation_failed files change 1301 folders; at most ${COMMIT_FOLDERS_MAX} in one commit`,
  );
  for (let from = 0; from < FOLDER_FOLDERS_MAX; from += 100)
    assert.equal(await answer(deepFiles(100, from, "x")), "201");
  assert.equal(
    await answer([{ path: "one/more", text: "" }]),
    `409 repository_full one/more may have ${FOLDER_FOLDERS_MAX} folders in a folder`,
  );
  for (let from = 0; from < 140; from += 70) assert.equal(await answer(deeper(70, from)), "201");
  assert.match(
    await answer(deeper(70, 140)),
    new RegExp(`^409 repository_full \\S+ may have ${FOLDERS_MAX} folders$`),
  );
  assert.equal(await answer([{ path: "0/more", text: "" }]), "201", "another file needs no folder");
  const long = `${"x".repeat(200)}/`.repeat(11);
  assert.match(await answer([{ path: `${long}f`, text: "" }]), /files\.0\.path must (?:have|be)/);
});

for (const engine of ENGINES)
  test(`folders that a commit changes are charged, and what is only tried is not [${engine}]`, async () => {
    const variables = { CAIRN_AGENT_MIB_PER_DAY: "1" };
    const service = await openTestService(engine, "charged folders", variables);
    try {
      const { ada, repo_id } = await founded(service);
      const commit = committer(ada, repo_id);
      for (let tries = 0; tries < 4; tries++)
        assert.equal((await commit(deepFiles(80, 0, "x"), { dry_run: true })).status, 200);
      // 80 files with 721 folders: 361 KiB of folders, and 80 KiB of rows.
      assert.equal((await commit(deepFiles(80, 0, "x"))).status, 201);
      assert.equal((await commit(deepFiles(80, 100, "x"))).status, 201);
      const third = await commit(deepFiles(80, 200, "x"));
      assert.deepEqual([third.status, third.body.error], [429, "rate_limited"]);
      assert.equal((await commit([{ path: "0/small", text: "" }])).status, 201);
    } finally {
      await service.close();
    }
  });

eachEngine("of ten that commit at once each is on top of the others", async (service) => {
  const { ada, repo_id } = await founded(service);
  const commit = committer(ada, repo_id);
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, i) => commit([{ path: `${i}/a/b`, text: `${i}` }])),
  );
  assert.deepEqual(
    replies.map(({ status }) => status),
    Array(10).fill(201),
  );
  const parents = replies.map(({ body }) => body.commit.parent ?? 0).sort((a, b) => a - b);
  assert.equal(new Set(parents).size, 10);
  const { body } = await service.get(`/repo/${repo_id}/files`);
  assert.equal(body.files.length, 10);
});

eachEngine("old files of a long history are listed in pages", async (service) => {
  const { repo_id } = await deepHistory(service, 6);
  const { commits } = (await service.get(`/repo/${repo_id}/commits`)).body;
  const seen: string[] = [];
  for (let cursor = ""; ; ) {
    const query = `at=${commits.at(-2).id}&limit=33${cursor}`;
    const { body } = await service.get(`/repo/${repo_id}/files?${query}`);
    seen.push(...body.files.map(({ path }: { path: string }) => path));
    if (!body.more) break;
    cursor = `&cursor=${body.next}`;
  }
  const expected = deepFiles(100, 0, "").map(({ path }) => path);
  assert.deepEqual(
    seen,
    expected.toSorted((a, b) => (a < b ? -1 : 1)),
  );
});

import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { RunningService } from "./process.ts";
import { clientOf, ENGINES } from "./service.ts";
import { folderFor, type Site, sealed, siteFor, takeAlong } from "./site.ts";

const ROUNDS = Number(process.env["TEST_BACKUPS"] ?? 2);
const WRITERS = 2;

/** Posts until it is told to stop; notes the highest id that was acknowledged. */
async function write(
  { url }: RunningService,
  token: string,
  state: { isDone: boolean; last: number },
) {
  const { post } = clientOf(url);
  while (!state.isDone) {
    const { status, body } = await post("/post", { body: "while it is copied" }, { token });
    assert.equal(status, 201);
    state.last = Math.max(state.last, body.id);
  }
}

/** The id of the last post in a backup that was brought back elsewhere. */
async function lastPostIn(site: Site, file: string): Promise<number> {
  const restored = await site.runApart("restore", file);
  assert.equal(restored.code, 0, restored.err);
  assert.match(restored.out, /proves that no signed seal is lost|may be lost/);
  const service = await site.start();
  const { body } = await clientOf(service.url).get("/feed?limit=1");
  await sealed(service);
  const walk = await site.run("verify", service.url, "--entries", "--state", `${file}.state`);
  assert.equal(walk.code, 0, walk.out + walk.err);
  await service.stop("SIGTERM");
  return body.posts[0].id;
}

for (const engine of ENGINES) {
  test(`${ROUNDS} backups under write load verify, and lack nothing [${engine}]`, async (t) => {
    const site = await siteFor(t, engine);
    const service = await site.start();
    const { token } = (await clientOf(service.url).post("/register", { handle: "ada" })).body;
    await sealed(service); // The signer's memory, which is taken along, begins with the first signature.
    const state = { isDone: false, last: 0 };
    const writers = Array.from({ length: WRITERS }, () => write(service, token, state));
    const folder = folderFor(t);
    const made: { file: string; before: number; after: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const file = join(folder, `${round}.backup`);
      const before = state.last;
      const { code, out, err } = await site.runApart("backup", file);
      assert.equal(code, 0, out + err);
      assert.match(out, /The chain verifies\.\n$/);
      made.push({ file, before, after: state.last });
      assert.equal(statSync(file).mode & 0o777, 0o600);
    }
    state.isDone = true;
    await Promise.all(writers);
    assert.equal(await service.stop("SIGTERM"), 0);

    for (const { file } of made) {
      const walk = await site.run("verify", file, "--entries", "--state", `${file}.heads`);
      assert.equal(walk.code, 0, walk.out + walk.err);
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => !/^\d+\.backup$/.test(name)),
      [],
      "nothing is left beside them",
    );
    const [first] = made;
    assert.ok(first !== undefined && first.after > first.before, "there was load");
    const to = await siteFor(t, engine);
    takeAlong(site, to, ["operator.key", "signer-memory.json"]);
    const last = await lastPostIn(to, first.file);
    assert.ok(last >= first.before && last <= state.last, `${first.before} ≤ ${last}`);
    t.diagnostic(`${state.last} posts`);
  });
}

test("a backup never takes the place of a file, and gets a name in a folder", async (t) => {
  const site = await siteFor(t, "sqlite");
  const nothing = await site.run("backup", join(folderFor(t), "a.db"));
  assert.deepEqual([nothing.code, nothing.out], [1, ""]);
  assert.match(nothing.err, /cannot be read/);
  const service = await site.start();
  await service.stop("SIGKILL"); // What it wrote is in the log beside the database.
  const folder = folderFor(t);
  const { code, out } = await site.run("backup", folder, "--json");
  assert.equal(code, 0, out);
  const { ok, file, entries, bytes } = JSON.parse(out);
  assert.ok(ok && entries > 0 && bytes > 0);
  assert.match(file, /cairn-\d{8}T\d{6}Z\.db$/);
  const again = await site.run("backup", file);
  assert.deepEqual([again.code, again.out], [1, ""]);
  assert.match(again.err, /is there already, and nothing overwrites it/);
  const twoFiles = await site.run("backup", "a", "b");
  assert.equal(twoFiles.code, 2);
});

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect, isEntry } from "../src/client/index.ts";
import { checkEntries, readLedger } from "./invariants.ts";
import { eventually, times } from "./postgres-store.ts";
import { type RunningService, runCairn, startService } from "./process.ts";
import { clientOf, seededRandom } from "./service.ts";
import { folderFor, sealed } from "./site.ts";

/** A thousand in the long run. */
const KILLS = Number(process.env["TEST_KILLS"] ?? 8);
const WRITERS = 12;
/** Of the service, below a follower. */
const RESTARTS = process.env["TEST_KILLS"] === undefined ? 2 : Math.min(KILLS, 20);
const POSTS_PER_RESTART = 100;
/** At most so many writes are acknowledged between a start and its kill. */
const LOAD_MAX = 200;

interface Writing {
  readonly token: string;
  readonly acknowledged: Set<number>;
  readonly reply_to?: number;
}

/** Posts as fast as it is answered until the service is gone; notes the ids that were acknowledged. */
async function write(service: RunningService, { token, acknowledged, ...where }: Writing) {
  const { post } = clientOf(service.url);
  for (;;) {
    try {
      const fields = { body: "still here", topic: "meta", ...where };
      const { status, body } = await post("/post", fields, { token });
      if (status === 201) acknowledged.add(body.id);
    } catch {
      return; // Killed.
    }
  }
}

test(`${KILLS} kills under write load lose nothing that was acknowledged`, async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "cairn-crash-"));
  const variables = {
    CAIRN_DATA_DIR: dataDir,
    CAIRN_SEAL_INTERVAL_S: "1",
    CAIRN_ORIGIN: "crash.test",
  };
  const random = seededRandom("crash");
  const acknowledged = new Set<number>();
  let token = "";
  let asker = { token: "" };
  let reply_to = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await startService(variables);
    const { post, get } = clientOf(service.url);
    if (token === "") {
      token = (await post("/register")).body.token;
      asker = (await post("/register")).body;
      reply_to = (await post("/post", { body: "Who is there?" }, asker)).body.id;
    }
    const { body: chain } = await get("/seal?limit=1");
    assert.equal(chain.chain_intact, true, `after kill ${kill}`);
    const writers = Array.from({ length: WRITERS }, () =>
      write(service, { token, acknowledged, reply_to }),
    );
    const load = acknowledged.size + ((random(1)[0] ?? 0) / 255) * LOAD_MAX;
    await eventually(() => acknowledged.size > load);
    assert.equal(await service.stop("SIGKILL"), "SIGKILL");
    await Promise.all(writers);
  }

  const service = await startService(variables);
  const items = await readLedger(clientOf(service.url));
  checkEntries(items);
  const stored = new Set(items.filter(({ kind }) => kind === "post").map(({ ref }) => Number(ref)));
  const lost = [...acknowledged].filter((id) => !stored.has(id));
  assert.deepEqual(lost, [], "every acknowledged post is in the ledger");
  assert.ok(acknowledged.size > KILLS, "there was load");
  await sealed(service);
  const heard = await hears(service, asker, reply_to);
  assert.deepEqual(
    heard.items.map(({ ref }) => Number(ref)),
    items
      .filter(({ kind, body }) => kind === "post" && body["reply_to"] === reply_to)
      .map(({ ref }) => Number(ref)),
    "its asker hears of each reply once",
  );
  for (const what of ["inbox", "threads"]) {
    const rebuilt = await runCairn(["rebuild", what], variables);
    assert.equal(rebuilt.code, 0, rebuilt.out + rebuilt.err);
  }
  assert.deepEqual(await hears(service, asker, reply_to), heard, "made again it is what it was");
  const state = join(dataDir, "heads.json");
  const audit = await runCairn(["verify", service.url, "--entries", "--state", state]);
  assert.equal(audit.code, 0, audit.out + audit.err);
  t.diagnostic(`${acknowledged.size} acknowledged posts, ${items.length} entries`);
  assert.equal(await service.stop("SIGTERM"), 0);
  rmSync(dataDir, { recursive: true, force: true });
});

/** The inbox of an agent, whole, and the replies counted of its post. */
async function hears({ url }: RunningService, agent: { readonly token: string }, post_id: number) {
  const { get } = clientOf(url);
  const items: { readonly id: number; readonly ref: string }[] = [];
  for (let after_id = 0, more = true; more; ) {
    const { body } = await get(`/inbox?after_id=${after_id}&limit=100`, agent);
    items.push(...body.items);
    ({ after_id, more } = body);
  }
  const { post } = (await get(`/post/${post_id}`)).body;
  return { items, replies_count: post.replies_count };
}

test(`a follower yields each entry once through ${RESTARTS} kills`, async (t) => {
  const variables = {
    CAIRN_DATA_DIR: folderFor(t),
    CAIRN_LOG_LEVEL: "error",
    CAIRN_RATE_LIMIT_PER_MINUTE: "100000",
  };
  let service = await startService(variables);
  t.after(() => service.stop("SIGKILL"));
  const { token } = (await clientOf(service.url).post("/register")).body;
  const baseUrl = "http://cairn.test";
  const network = connect({
    baseUrl,
    fetch: (url, init) => fetch(String(url).replace(baseUrl, service.url), init),
  });
  const acknowledged = new Set<number>();
  const ids: number[] = [];
  let outages = 0;
  let isOver = false;
  const following = (async () => {
    const seen = new Set<number>();
    for await (const change of network.follow({ after_id: 0, onRetry: () => void outages++ })) {
      ids.push(change.id);
      if (isEntry(change, "post")) seen.add(change.body.post_id);
      if (isOver && acknowledged.isSubsetOf(seen)) return;
    }
  })();
  for (let restart = 1; restart <= RESTARTS; restart++) {
    const writers = times(WRITERS, () => write(service, { token, acknowledged }));
    await eventually(() => acknowledged.size >= restart * POSTS_PER_RESTART);
    await service.stop("SIGKILL");
    await Promise.all(writers);
    service = await startService(variables);
  }
  isOver = true;
  await clientOf(service.url).post("/post", { body: "The last stone." }, { token });
  await following;
  assert.deepEqual(
    ids,
    Array.from(ids, (_, i) => i + 1),
  );
  assert(outages > 0, "kills were heard");
  t.diagnostic(
    `${ids.length} entries, ${acknowledged.size} posts acknowledged, ${outages} outages`,
  );
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkEntries, readLedger } from "./invariants.ts";
import { freePort } from "./ports.ts";
import { eventually, times } from "./postgres-store.ts";
import { OURS, runCairn, startService } from "./process.ts";
import { clientOf } from "./service.ts";

const MIB = 1_048_576;

function freshFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "cairn-disk-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

const command = (name: string, ...args: readonly string[]) =>
  execFileSync(name, args, { stdio: "pipe" });

/** Mounts a file system for the length of a test; null, and said aloud, where that is refused. */
function mounted(t: TestContext, options: string): string | null {
  const folder = mkdtempSync(join(tmpdir(), "cairn-disk-"));
  try {
    command("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder);
  } catch (error) {
    rmdirSync(folder);
    t.diagnostic(`No file system can be mounted here: ${error}`);
    return null;
  }
  t.after(() => {
    command("umount", "--lazy", folder);
    rmdirSync(folder);
  });
  return folder;
}

test("a full disk refuses writes, serves reads and recovers by itself", async (t) => {
  const dataDir = mounted(t, "size=16m");
  if (dataDir === null) return t.skip("only root can fill a disk of its own");
  const ballast = join(dataDir, "ballast");
  writeFileSync(ballast, Buffer.alloc(8 * MIB));
  const service = await startService({ CAIRN_DATA_DIR: dataDir, CAIRN_SEAL_INTERVAL_S: "1" });
  t.after(() => service.stop("SIGKILL"));
  const { get, post } = clientOf(service.url);
  const { token } = (await post("/register")).body;
  const acknowledged: number[] = [];
  const write = async () => {
    const answer = await post("/post", { body: "x".repeat(8_000) }, { token });
    if (answer.status === 201) acknowledged.push(answer.body.id);
    return answer;
  };

  for (;;) {
    const answers = await Promise.all(times(16, write));
    const refused = answers.find(({ status }) => status !== 201);
    if (refused === undefined) continue;
    assert.equal(refused.body.error, "storage_unavailable");
    assert.equal(refused.headers.get("retry-after"), "30");
    break;
  }
  assert.ok(acknowledged.length > 100, `${acknowledged.length} posts`);
  for (const path of ["/feed", "/seal", "/since?after_id=0&limit=1000"])
    assert.equal((await get(path)).status, 200, path);
  assert.equal((await get("/me", { token })).status, 200);

  rmSync(ballast);
  await eventually(async () => (await write()).status === 201);
  await eventually(async () => (await get("/seal?limit=1")).body.unsealed.entries === 0);
  const items = await readLedger({ get });
  checkEntries(items);
  const stored = items.filter(({ kind }) => kind === "post").map(({ ref }) => Number(ref));
  assert.deepEqual(
    stored,
    acknowledged.toSorted((a, b) => a - b),
    "exactly what was acknowledged is stored",
  );
  assert.equal((await get("/seal?limit=1")).body.chain_intact, true);
  assert.equal(await service.stop("SIGTERM"), 0);
});

test("a log that cannot be flushed ends the service, and nobody is told of what may be lost", async (t) => {
  const dataDir = freshFolder(t);
  const [node, ...words] = OURS;
  const disk = join(import.meta.dirname, "failing-flush.ts");
  const service = await startService({ CAIRN_DATA_DIR: dataDir }, [
    ...([node, `--import=${disk}`] as const),
    ...words,
  ]);
  t.after(() => service.stop("SIGKILL"));
  const { post } = clientOf(service.url);
  const { token } = (await post("/register")).body;
  const { id } = (await post("/post", { body: "durable" }, { token })).body;
  writeFileSync(join(dataDir, "broken"), "");
  const { status, body } = await post("/post", { body: "perhaps" }, { token });
  assert.equal(status, 503);
  assert.equal(body.error, "storage_unavailable");
  assert.match(body.message, /may have happened/);
  const [code] = await once(service.process, "close");
  assert.equal(code, 1);
  assert.match(service.output(), /"why":"EIO: i\/o error, fdatasync".*log_not_flushed/);
  assert.match(service.output(), /could not store the database's log/);

  rmSync(join(dataDir, "broken"));
  const again = await startService({ CAIRN_DATA_DIR: dataDir });
  t.after(() => again.stop("SIGKILL"));
  const { get } = clientOf(again.url);
  assert.equal((await get(`/post/${id}`)).body.post.body, "durable");
  checkEntries(await readLedger({ get }));
  assert.equal(await again.stop("SIGTERM"), 0);
});

for (const signal of ["SIGTERM", "SIGKILL"] as const)
  test(`a start on a full disk after ${signal} serves reads, and writes once there is room`, async (t) => {
    const dataDir = mounted(t, "size=16m");
    if (dataDir === null) return t.skip("only root can fill a disk of its own");
    const adminPort = String(await freePort());
    const variables = { CAIRN_DATA_DIR: dataDir, CAIRN_ADMIN_PORT: adminPort };
    const first = await startService(variables);
    t.after(() => first.stop("SIGKILL"));
    const { token } = (await clientOf(first.url).post("/register")).body;
    const { id } = (await clientOf(first.url).post("/post", { body: "Full." }, { token })).body;
    await eventually(async () => existsSync(join(dataDir, "spare-room")));
    await first.stop(signal);
    const ballast = join(dataDir, "ballast");
    writeFileSync(ballast, "");
    const { bavail, bsize } = statfsSync(dataDir);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize));

    const again = await startService(variables);
    t.after(() => again.stop("SIGKILL"));
    const { get, post } = clientOf(again.url);
    assert.equal((await get(`/post/${id}`)).status, 200);
    assert.equal((await post("/post", { body: "No." }, { token })).status, 503);
    const ready = await fetch(`http://127.0.0.1:${adminPort}/readyz`);
    assert.deepEqual([ready.status, /too little free space/.test(await ready.text())], [503, true]);
    rmSync(ballast);
    await eventually(
      async () => (await post("/post", { body: "Go on." }, { token })).status === 201,
    );
    const files = ["console.secret", "open-files.json", "service.json", "spare-room"];
    await eventually(async () => files.every((name) => existsSync(join(dataDir, name))));
    assert.equal(await again.stop("SIGTERM"), 0);
    const [warning = ""] = again.output().match(/^.*"level":"(?:warn|error)".*$/m) ?? [];
    assert.match(warning, /too little free space.*only reads are served/);
  });

test("a network that cannot begin on a full disk says which file and what to do", async (t) => {
  const dataDir = mounted(t, "size=1m");
  if (dataDir === null) return t.skip("only root can fill a disk of its own");
  const { bavail, bsize } = statfsSync(dataDir);
  writeFileSync(join(dataDir, "ballast"), Buffer.alloc((bavail - 8) * bsize));
  const variables = { CAIRN_DATA_DIR: join(dataDir, "data"), CAIRN_ADMIN_PORT: "0" };
  const ended = await runCairn(["serve", "--port", "0"], variables);
  assert.equal(ended.code, 1, ended.err);
  isSentence(ended);
  assert.match(
    ended.err,
    /^The disk of \S+\/data is full, .*cairn\.db.* Make room there, then start/,
  );
});

test("a page or a box is refused first, while small writes go on", async (t) => {
  const dataDir = mounted(t, "size=16m");
  if (dataDir === null) return t.skip("only root can fill a disk of its own");
  const service = await startService({ CAIRN_DATA_DIR: dataDir });
  t.after(() => service.stop("SIGKILL"));
  const { post } = clientOf(service.url);
  const { token } = (await post("/register")).body;
  const to = (await post("/register")).body.agent_id;
  const homepage = "https://example.org/";
  const page = { name: "A page", description: "It says hello.", html: "<p>Hello" };
  const send = async () => [
    (await post("/dm", { to, box: "sealed" }, { token })).status,
    (await post("/app", page, { token })).status,
    (await post("/app", { ...page, html: undefined, homepage }, { token })).status,
    (await post("/post", { body: "hello" }, { token })).status,
  ];
  assert.deepEqual(await send(), [201, 201, 201, 201]);
  const { bavail, bsize } = statfsSync(dataDir);
  const ballast = join(dataDir, "ballast");
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - 3 * MIB));
  await eventually(async () => (await send()).join() === "503,503,201,201");
  rmSync(ballast);
  await eventually(async () => (await send()).join() === "201,201,201,201");
  assert.equal(await service.stop("SIGTERM"), 0);
});

/** A refusal is one sentence for an operator, and no stack. */
function isSentence({ out, err }: { out: string; err: string }): void {
  assert.match(err, /^[A-Z][^\n]*\.?\n$/, "one line");
  assert.doesNotMatch(err + out, /\bat .*:\d+:\d+/, "no stack");
}

test("a data folder that cannot be used is refused in a sentence", async (t) => {
  const folder = freshFolder(t);
  const file = join(folder, "file");
  writeFileSync(file, "");
  const foreign = mkdtempSync(join(folder, "foreign-"));
  writeFileSync(join(foreign, "cairn.db"), "This is not a database.".repeat(100));
  const keyless = mkdtempSync(join(folder, "keyless-"));
  writeFileSync(join(keyless, "operator.key"), "This is not a key.", { mode: 0o600 });
  const readOnly = mounted(t, "size=1m,ro") ?? file;
  const start = (dataDir: string) =>
    runCairn(["serve", "--port", "0"], { CAIRN_DATA_DIR: dataDir, CAIRN_ADMIN_PORT: "0" });
  for (const ended of await Promise.all([file, foreign, keyless, readOnly].map(start))) {
    assert.equal(ended.code, 1, ended.err);
    isSentence(ended);
  }
});

test("a folder that can be nowhere is a wrong setting, and not tried for ever", async (t) => {
  if (!existsSync("/proc/self")) return t.skip("only where there is /proc");
  const variables = { CAIRN_DATA_DIR: "/proc/cairn/data", CAIRN_ADMIN_PORT: "0" };
  const key = { CAIRN_DATA_DIR: freshFolder(t), CAIRN_SIGNING_KEY_FILE: "/proc/cairn/key" };
  const runs = [
    runCairn(["serve", "--port", "0"], variables),
    runCairn(["init"], variables),
    runCairn(["init"], key),
  ];
  for (const ended of await Promise.all(runs)) {
    assert.equal(ended.code, 2, ended.err);
    isSentence(ended);
    assert.match(ended.err, /^The folder \/proc\/cairn cannot be made/);
  }
});

test("settings that are wrong are refused in a sentence that names them", async () => {
  const wrong = {
    CAIRN_PORT: "65536",
    CAIRN_PROT: "8080",
    CAIRN_DATABASE_URL: "mysql://agent:secret@localhost",
  };
  const start = ([variable, value]: [string, string]) => runCairn(["serve"], { [variable]: value });
  for (const ended of await Promise.all(Object.entries(wrong).map(start))) {
    assert.equal(ended.code, 2, ended.err);
    isSentence(ended);
    assert.match(ended.err, /^CAIRN_(PORT|PROT|DATABASE_URL) is /);
    assert.doesNotMatch(ended.err, /secret/);
  }
});

test("a stop under load answers what was accepted and leaves a closed database", async (t) => {
  const dataDir = freshFolder(t);
  const variables = { CAIRN_DATA_DIR: dataDir, CAIRN_ORIGIN: "stop.test" };
  const service = await startService(variables);
  const { get, post } = clientOf(service.url);
  const { token } = (await post("/register")).body;
  const acknowledged: number[] = [];
  const writers = times(12, async () => {
    for (;;) {
      const answer = await post("/post", { body: "until the end" }, { token }).catch(() => null);
      if (answer === null) return; // Refused before it was read: the socket is closed.
      if (answer.status === 201) acknowledged.push(answer.body.id);
      else assert.equal(answer.body.error, "overloaded");
    }
  });
  const waiting = get("/since?after_id=1&kinds=key_rotation&wait=25");
  await eventually(async () => acknowledged.length > 100);

  const [code, held] = await Promise.all([service.stop("SIGTERM"), waiting, ...writers]);
  assert.equal(code, 0, service.output());
  // Its 25 s are longer than the service waits: a request without an answer by then is cut off.
  assert.equal(held.status, 200);
  assert.equal(existsSync(join(dataDir, "cairn.db-wal")), false, "the database was closed");

  const again = await startService(variables);
  t.after(() => again.stop("SIGKILL"));
  const items = await readLedger(clientOf(again.url));
  const stored = items.filter(({ kind }) => kind === "post").map(({ ref }) => Number(ref));
  assert.deepEqual(
    stored,
    acknowledged.toSorted((a, b) => a - b),
    "what was stored was answered, and the reverse",
  );
});

test("a removed log stops writes, and a clean stop saves what it held", async (t) => {
  const dataDir = freshFolder(t);
  const adminPort = String(await freePort());
  const variables = { CAIRN_DATA_DIR: dataDir, CAIRN_ADMIN_PORT: adminPort };
  const service = await startService(variables);
  t.after(() => service.stop("SIGKILL"));
  const { post } = clientOf(service.url);
  const { token } = (await post("/register")).body;
  const { id } = (await post("/post", { body: "In the log only." }, { token })).body;
  rmSync(join(dataDir, "cairn.db-wal"));
  const refused = async () => (await post("/post", { body: "No." }, { token })).status === 503;
  await eventually(refused); // The disk is looked at 4 times a second.
  const ready = await fetch(`http://127.0.0.1:${adminPort}/readyz`);
  assert.equal(ready.status, 503);
  assert.match(await ready.text(), /The log file was removed/);
  assert.equal(await service.stop("SIGTERM"), 0);
  const again = await startService(variables);
  t.after(() => again.stop("SIGKILL"));
  const { posts } = (await clientOf(again.url).get("/feed")).body;
  assert.ok(posts.some((post: { id: number }) => post.id === id));
});

test("a folder belongs to one service, until that is gone", async (t) => {
  const dataDir = freshFolder(t);
  const first = await startService({ CAIRN_DATA_DIR: dataDir });
  t.after(() => first.stop("SIGKILL"));
  const second = await runCairn(["serve", "--port", "0", "--admin-port", "0"], {
    CAIRN_DATA_DIR: dataDir,
  });
  assert.equal(second.code, 1);
  assert.match(second.err, /^Another service runs on the data folder .*\. Stop it first/);
  assert.equal(await first.stop("SIGKILL"), "SIGKILL");
  const third = await startService({ CAIRN_DATA_DIR: dataDir });
  assert.equal(await third.stop("SIGTERM"), 0);
});

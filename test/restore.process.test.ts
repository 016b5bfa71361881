import assert from "node:assert/strict";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { eventually } from "./postgres-store.ts";
import { clientOf, ENGINES, type Engine } from "./service.ts";
import { folderFor, type Site, sealed, siteFor, takeAlong, withoutDatabase } from "./site.ts";

const KEY = ["operator.key"];
const MEMORY = "signer-memory.json";

/** A network with a backup, that went on for a while after it. */
async function backedUp(t: TestContext, engine: Engine) {
  const site = await siteFor(t, engine);
  const service = await site.start();
  const { post } = clientOf(service.url);
  const { token } = (await post("/register", { handle: "ada" })).body;
  const write = async (body: string) => {
    await post("/post", { body }, { token });
    await sealed(service);
  };
  await write("kept");
  const file = join(folderFor(t), "backup");
  const { code, err } = await site.run("backup", file);
  assert.equal(code, 0, err);
  return { site, service, token, write, file };
}

const memoryOf = ({ dataDir }: Site) => JSON.parse(readFileSync(join(dataDir, MEMORY), "utf8"));

for (const engine of ENGINES) {
  test(`a loss is admitted: a new epoch, which every reader can follow [${engine}]`, async (t) => {
    const { site, service, token, write, file } = await backedUp(t, engine);
    const state = join(folderFor(t), "heads.json");
    await write("lost");
    const before = await site.run("verify", service.url, "--state", state);
    assert.equal(before.code, 0, before.err);
    await service.stop("SIGTERM");
    const signed = memoryOf(site);

    const lost = await withoutDatabase(t, site);
    const restored = await lost.run("restore", file, "--reason", "The disk died.", "--json");
    const { ok, loss } = JSON.parse(restored.out);
    assert.ok(ok, restored.out);
    assert.deepEqual([loss.epoch, loss.origin], [2, "site.test#2"]);
    assert.equal(
      JSON.parse(readFileSync(join(site.dataDir, `${MEMORY}.before-epoch-2`), "utf8")).seq,
      signed.seq,
    );
    assert.deepEqual(
      [memoryOf(site).origin, memoryOf(site).seq],
      ["site.test#2", loss.lost_after_seq + 1],
    );

    const again = await lost.start();
    const { post, get } = clientOf(again.url);
    await post("/post", { body: "after it" }, { token });
    await sealed(again);
    const { body: since } = await get("/since?after_id=0&kinds=ledger_restored");
    const [{ body, text }] = since.entries;
    assert.deepEqual(text, { reason: "The disk died." });
    const { reason_sha256: _, ...said } = body;
    assert.deepEqual(said, {
      epoch: 2,
      origin: "site.test#2",
      lost_after_id: loss.lost_after_id,
      lost_after_seq: loss.lost_after_seq,
      last_signed_seq: signed.seq,
      last_signed_seal: signed.seal_hash,
    });
    const { body: chain } = await get("/seal");
    assert.deepEqual([chain.origin, chain.chain_intact], ["site.test#2", true]);
    assert.deepEqual(chain.unsigned_seqs, []);
    assert.deepEqual(
      chain.seals.map(({ origin }: { origin: string }) => origin.includes("#")),
      chain.seals.map(({ seq }: { seq: number }) => seq > loss.lost_after_seq),
    );
    for (const depth of [[], ["--entries"]]) {
      const walk = await site.run("verify", again.url, ...depth, "--state", state, "--json");
      const { exit_code, history } = JSON.parse(walk.out);
      const known = depth.length === 0 ? "restored" : "kept";
      assert.deepEqual([exit_code, history], [0, known], walk.out);
    }
  });
}

test("a seal that the backup has unsigned, before a loss, stays so, and the chain goes on", async (t) => {
  const { site, service, file } = await backedUp(t, "sqlite");
  await service.stop("SIGTERM");
  const database = new DatabaseSync(file); // A backup between a seal and its signature.
  database.exec(`DROP TRIGGER seal_never_changes;
    UPDATE seal SET signature = NULL, signed_at = NULL, pubkey = NULL
    WHERE seq = (SELECT max(seq) FROM seal)`);
  database.close();
  const to = await siteFor(t, "sqlite");
  takeAlong(site, to, KEY); // Nothing proves that it is the seal which was signed.
  const restored = await to.run("restore", file, "--json");
  assert.equal(restored.code, 0, restored.out + restored.err);
  const { lost_after_seq } = JSON.parse(restored.out).loss;
  const again = await to.start();
  await sealed(again);
  const { body } = await clientOf(again.url).get("/seal?limit=1");
  assert.deepEqual(body.unsigned_seqs, [lost_after_seq]);
  const walk = await to.run("verify", again.url, "--entries", "--state", `${file}.heads`);
  assert.equal(walk.code, 0, walk.out + walk.err);
});

test("the proofs of the signer's memory, and their limits", async (t) => {
  const { site, service, file } = await backedUp(t, "sqlite");
  await service.stop("SIGTERM");
  const epochOf = async (to: Site, ...more: string[]) => {
    const { code, out, err } = await to.run("restore", file, "--json", ...more);
    assert.equal(code, 0, out + err);
    const { loss } = JSON.parse(out);
    rmSync(join(to.dataDir, "cairn.db"));
    return loss?.epoch ?? null;
  };
  const proven = await siteFor(t, "sqlite");
  takeAlong(site, proven, [...KEY, MEMORY]);
  const memory = readFileSync(join(proven.dataDir, MEMORY));
  assert.equal(await epochOf(proven), null, "the last signed seal is in the backup");
  assert.deepEqual(readFileSync(join(proven.dataDir, MEMORY)), memory);
  assert.equal(await epochOf(proven, "--epoch", "2"), 2, "the operator knows better");
  assert.equal(await epochOf(proven), 3, "the memory is of epoch 2, which the backup lacks");
  assert.equal(await epochOf(proven, "--epoch", "9"), 9);

  const forgetful = await siteFor(t, "sqlite");
  takeAlong(site, forgetful, KEY);
  assert.equal(await epochOf(forgetful), 2, "no memory proves nothing");
  writeFileSync(join(forgetful.dataDir, MEMORY), "{");
  assert.equal(await epochOf(forgetful), 2, "nor does one that cannot be read");
});

test("a backup from before a rotation is signed on with the key that it names", async (t) => {
  const { site, service, file } = await backedUp(t, "sqlite");
  const rotated = await site.run("key", "rotate");
  assert.equal(rotated.code, 0, rotated.err);
  await sealed(service);
  await service.stop("SIGTERM");
  const lost = await withoutDatabase(t, site);
  const { code, err } = await lost.run("restore", file);
  assert.equal(code, 0, err);
  const again = await lost.start();
  await sealed(again);
  const { body } = await clientOf(again.url).get("/verify");
  assert.equal(body.keys.length, 1, "the rotation is lost, and its key waits beside the old one");

  const text = (name: string) => readFileSync(join(site.dataDir, name), "utf8");
  const [newer, older] = [text("operator.key"), text("operator.key.1")];
  const next = await lost.run("key", "rotate");
  assert.equal(next.code, 0, next.err);
  assert.notEqual(text("operator.key"), newer);
  assert.deepEqual([text("operator.key.1"), text("operator.key.2")], [older, newer]);
  assert.match(next.out, /old .*operator\.key\.1\n(.|\n)*is kept\.\n.*operator\.key\.2\n$/);
  await sealed(again);
  await clientOf(again.url).post("/register");
  await sealed(again);
  const walk = await lost.run("verify", again.url, "--state", join(folderFor(t), "heads.json"));
  assert.equal(walk.code, 0, "every key that the service needs is still there");
});

test("readers who followed a rotation believe a restore from before it when that key signs again", async (t) => {
  const { site, service, token, file } = await backedUp(t, "sqlite");
  const state = join(folderFor(t), "heads.json");
  const walk = async (url: string) => {
    const { code, out } = await site.run("verify", url, "--state", state, "--json");
    return [code, JSON.parse(out).history];
  };
  assert.equal((await site.run("key", "rotate")).code, 0);
  await sealed(service);
  await clientOf(service.url).post("/post", { body: "lost" }, { token });
  await sealed(service);
  assert.deepEqual(await walk(service.url), [0, "new"]);
  await service.stop("SIGTERM");
  const lost = await withoutDatabase(t, site);
  assert.equal((await lost.run("restore", file)).code, 0);
  const again = await lost.start();
  assert.deepEqual(await walk(again.url), [3, "another_key"]);

  const key = join(site.dataDir, "operator.key");
  renameSync(key, `${key}.next`); // docs/operating/backup.md
  const { code, err } = await lost.run("key", "rotate");
  assert.equal(code, 0, err);
  await sealed(again);
  await clientOf(again.url).post("/post", { body: "found" }, { token });
  await sealed(again);
  assert.deepEqual(await walk(again.url), [0, "restored"]);
});

test("nothing is signed into an older database that was put in place by hand", async (t) => {
  const { site, service, token } = await backedUp(t, "sqlite");
  const database = join(site.dataDir, "cairn.db");
  await service.stop("SIGTERM");
  const old = readFileSync(database);
  const later = await site.start();
  await clientOf(later.url).post("/post", { body: "lost" }, { token });
  await sealed(later);
  await later.stop("SIGTERM");
  writeFileSync(database, old);
  for (const args of [
    ["key", "rotate"],
    ["key", "rotate", "--lost"],
    ["announce", "--kind", "notice", "--title", "A title", "--body", "A body."],
  ]) {
    const { code, err } = await site.run(...args);
    assert.equal(code, 1, args.join(" "));
    assert.match(err, /lacks seal \d+.*database_behind.*newest database/);
    assert.equal(existsSync(join(site.dataDir, "operator.key.1")), false);
  }
});

test("a backup is tried without the key: with it, the copy would be a second history", async (t) => {
  const { site, service, token, write, file } = await backedUp(t, "sqlite");
  const state = join(folderFor(t), "heads.json");
  const verify = (url: string) => site.run("verify", url, "--state", state);
  await write("after the backup");
  assert.equal((await verify(service.url)).code, 0);

  const tried = await siteFor(t, "sqlite");
  assert.equal((await tried.run("restore", file, "--without-key")).code, 0);
  const copy = await tried.start();
  const { get, post } = clientOf(copy.url);
  assert.equal((await get("/post/1")).body.post.body, "kept");
  assert.equal((await post("/post", { body: "only here" }, { token })).status, 201);
  await eventually(async () => (await get("/seal?limit=1")).body.unsealed.entries === 0);
  const { head, unsigned_seqs } = (await get("/seal?limit=1")).body;
  assert.ok(unsigned_seqs.includes(head.seq));
  const own = await tried.run("verify", copy.url, "--state", `${state}.copy`);
  assert.match(own.out, /not signed yet/);
  await write("more");
  assert.equal((await verify(service.url)).code, 0, "the live one has one history");

  const second = await siteFor(t, "sqlite");
  takeAlong(site, second, KEY);
  assert.equal((await second.run("restore", file)).code, 0);
  const other = await second.start();
  await sealed(other);
  await verify(other.url);
  await write("and more");
  const live = await verify(service.url);
  assert.notEqual(live.code, 0);
  assert.match(live.out + live.err, /History was rewritten/);
});

test("without the key a loss is admitted only if it is said to be lost", async (t) => {
  const { site, service, file } = await backedUp(t, "sqlite");
  await service.stop("SIGTERM");
  const keyless = await siteFor(t, "sqlite");
  const refused = await keyless.run("restore", file);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /operator\.key is not there: put it there, or pass --without-key/);
  assert.equal(existsSync(join(keyless.dataDir, "cairn.db")), false);
  const { code, err } = await keyless.run("restore", file, "--without-key");
  assert.equal(code, 0, err);
  const again = await keyless.start();
  const { body } = await clientOf(again.url).get("/seal");
  assert.deepEqual([body.chain_intact, body.origin], [true, "site.test#2"]);
  assert.equal(body.unsigned_seqs.length, 1);
  assert.ok(body.total > 1);
  assert.equal(memoryOf(keyless).seq, body.total - 1, "a later key goes on from here");
  assert.equal(site.engine, "sqlite");
});

test("nothing is overwritten, and nothing is restored that is not whole", async (t) => {
  const { site, service, file } = await backedUp(t, "sqlite");
  await service.stop("SIGTERM");
  const refuses = async (to: Site, from: string, said: RegExp, code = 1) => {
    const before = existsSync(join(to.dataDir, "cairn.db"));
    const refused = await to.run("restore", from);
    assert.deepEqual([refused.code, said.test(refused.err)], [code, true], refused.err);
    assert.equal(existsSync(join(to.dataDir, "cairn.db")), before);
  };
  await refuses(site, file, /cairn\.db is there already, and nothing overwrites it/);
  rmSync(join(site.dataDir, "cairn.db"));
  writeFileSync(join(site.dataDir, "cairn.db-wal"), "of another database");
  await refuses(site, file, /cairn\.db-wal is there already/);
  rmSync(join(site.dataDir, "cairn.db-wal"));

  const other = await siteFor(t, "sqlite");
  await (await other.start()).stop("SIGTERM");
  takeAlong(other, site, KEY);
  await refuses(site, file, /is signed with [0-9a-f]{64}, which is not a key of this machine/);
  rmSync(join(site.dataDir, "operator.key"));

  const damaged = join(folderFor(t), "damaged");
  writeFileSync(damaged, readFileSync(file));
  const database = new DatabaseSync(damaged);
  database.exec(`DROP TRIGGER ledger_entry_never_changes;
    UPDATE ledger_entry SET body = CAST(replace(body, 'ag_', 'ab_') AS BLOB) WHERE kind = 1`);
  database.close();
  await refuses(
    site,
    damaged,
    /The chain does not verify: seal \d+: entry \d+: its leaf is not the hash/,
  );
  const bytes = readFileSync(file);
  bytes.fill(0xff, bytes.length / 2, bytes.length / 2 + 4096);
  writeFileSync(damaged, bytes);
  await refuses(site, damaged, /damaged|malformed|does not verify|refused/);
  writeFileSync(damaged, "not a backup");
  await refuses(site, damaged, /is no export/, 5);
  await refuses(site, join(folderFor(t), "none"), /is not there/, 5);
  const pinned = await site.run("restore", file, "--key", "ab".repeat(32), "--without-key");
  assert.equal(pinned.code, 1);
  assert.match(pinned.err, /The chain does not verify: seal 1/);
});

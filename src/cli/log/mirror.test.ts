import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { checkpointOf, entriesOfLog, logAt } from "../../../test/log.ts";
import { fileServer, writeLog } from "../../../test/log-files.ts";
import { operate, refuses } from "../../../test/operator.ts";
import { eachEngine, openTestService } from "../../../test/service.ts";
import { newFile } from "../../../test/verify-run.ts";
import { signer } from "../../../test/witness-tree.ts";
import { largeEntry, VECTORS } from "../../../test/witness-vectors.ts";
import { currentLog } from "../../domains/tlog/log.ts";
import { type Entry, entryText, flatJson, parseEntry } from "../../platform/kernel/proof/entry.ts";
import { parseCheckpoint } from "../../platform/kernel/tlog/checkpoint.ts";
import { vkeyOf } from "../../platform/kernel/tlog/note.ts";
import { levelsOf, tilePath, tilesBetween } from "../../platform/kernel/tlog/tiles.ts";
import { endOf } from "../command/runner.ts";
import { mirror, monitor } from "./mirror.ts";

async function policyOf(text: string): Promise<string> {
  const path = newFile();
  await writeFile(path, text);
  return path;
}

const trusting = (vkey: string) => policyOf(`log ${vkey}\nquorum none\n`);

async function run(command: typeof mirror, ...words: string[]) {
  const { exit_code, text, printed } = await endOf(command, [...words, "--json"]);
  await printed?.();
  const facts: Record<string, unknown> = JSON.parse(text);
  return { exit_code, facts, error: String(facts["error"]) };
}

const entries = (count: number, fork = Number.POSITIVE_INFINITY) =>
  Array.from({ length: count }, (_, i) => largeEntry(i >= fork ? i + 500_000 : i));

test("a mirror follows a log by its tiles and keeps the same bytes", async (t) => {
  const [log, copy] = [newFile(), newFile()];
  const policy = await trusting(VECTORS.log.vkey);
  await writeLog(log, entries(10));
  const address = await fileServer(t, log);
  let held = 0;
  for (const size of [10, 10, 300, 512, 700, 66_000]) {
    await writeLog(log, entries(size));
    const { exit_code, facts } = await run(mirror, address, "--to", copy, "--policy", policy);
    assert.deepEqual([exit_code, facts["old_size"], facts["size"]], [0, held, size]);
    for (const level of [...levelsOf(size), "entries" as const])
      for (const tile of tilesBetween(level, 0, size)) {
        const path = tilePath(tile);
        assert.deepEqual(readFileSync(join(copy, path)), readFileSync(join(log, path)), path);
      }
    assert(!existsSync(join(copy, "staged")));
    held = size;
  }
  assert(!existsSync(join(copy, "tile/0/000.p")), "partial tiles go when the full one is there");
  const again = await run(mirror, copy, "--to", newFile(), "--policy", policy);
  assert.deepEqual([again.exit_code, again.facts["size"]], [0, held], "a mirror can be mirrored");
  await writeLog(log, entries(300));
  const busy = await fileServer(t, log, "busy");
  const patient = await run(mirror, busy, "--to", newFile(), "--policy", policy);
  assert.deepEqual([patient.exit_code, patient.facts["size"]], [0, 300], patient.error);
});

test("a log that contradicts itself is refused, and both notes are kept", async () => {
  const policy = await trusting(VECTORS.log.vkey);
  for (const size of [800, 600, 300]) {
    const [log, copy] = [newFile(), newFile()];
    await writeLog(log, entries(600));
    assert.equal((await run(mirror, log, "--to", copy, "--policy", policy)).exit_code, 0);
    const before = readFileSync(join(copy, "checkpoint"), "utf8");
    await writeLog(log, entries(size, 10));
    const { exit_code, error } = await run(mirror, log, "--to", copy, "--policy", policy);
    assert.equal(exit_code, 3, error);
    assert.match(error, /contradicts itself/);
    const notes = readdirSync(join(copy, "evidence")).map((name) =>
      readFileSync(join(copy, "evidence", name), "utf8"),
    );
    const theirs = readFileSync(join(log, "checkpoint"), "utf8");
    assert.deepEqual(new Set(notes), new Set([before, theirs]));
    assert.equal(readFileSync(join(copy, "checkpoint"), "utf8"), before, "the copy stays");
  }
});

test("a shorter log, altered entries, and what the policy does not accept, change nothing", async () => {
  const [log, copy] = [newFile(), newFile()];
  const policy = await trusting(VECTORS.log.vkey);
  await writeLog(log, entries(600));
  await run(mirror, log, "--to", copy, "--policy", policy);
  const before = readFileSync(join(copy, "checkpoint"), "utf8");
  await writeLog(log, entries(300));
  assert.equal((await run(mirror, log, "--to", copy, "--policy", policy)).exit_code, 4);

  await writeLog(log, entries(700));
  for (const path of ["tile/entries/002.p/188", "checkpoint"]) {
    const bytes = await readFile(join(log, path));
    const changed = Buffer.from(bytes);
    changed[bytes.length - 9] = (changed[bytes.length - 9] ?? 0) ^ 1;
    await writeFile(join(log, path), changed);
    const { exit_code, error } = await run(mirror, log, "--to", copy, "--policy", policy);
    assert.equal(exit_code, path === "checkpoint" ? 1 : 5, error);
    await writeFile(join(log, path), bytes);
  }
  const witnessed = await policyOf(VECTORS.policy);
  const { exit_code, error } = await run(mirror, log, "--to", copy, "--policy", witnessed);
  assert.equal(exit_code, 1);
  assert.match(error, /its witnesses are no quorum/);
  const wrong = await policyOf("quorum all\n");
  assert.equal((await run(mirror, log, "--to", copy, "--policy", wrong)).exit_code, 2);
  assert.equal(readFileSync(join(copy, "checkpoint"), "utf8"), before);
});

const AGENT = "ag_watched";
const taken = (id: number, at: number) =>
  Buffer.from(
    entryText({
      id,
      at,
      kind: "coin_transfer",
      ref: `${id}`,
      body: flatJson({ amount_micro: 1, from: AGENT, to: "ag_thief", transfer_id: id }),
    }),
  );
const MAX = Number.MAX_SAFE_INTEGER;

test("no entry hides another from a monitor", async () => {
  const [log, copy] = [newFile(), newFile()];
  const policy = await trusting(VECTORS.log.vkey);
  const words = [log, "--to", copy, "--policy", policy, "--agent", AGENT];
  await writeLog(log, entries(10));
  assert.equal((await run(monitor, ...words)).exit_code, 0);
  const times = [8_640_000_000_001, 253_402_300_800, MAX, 0];
  const late = [...entries(10), ...times.map((at, i) => taken(11 + i, at))];
  await writeLog(log, late);
  const { text } = await endOf(monitor, words);
  for (const line of [/^8640000000001 {2}11 {2}coin/m, /^9007199254740991 {2}13 /m])
    assert.match(text, line, "a time that no date has is a number");
  assert.match(text, /^1970-01-01T00:00:00Z {2}14 /m);

  const none = [Buffer.alloc(0), Buffer.alloc(5), Buffer.alloc(65_535, "x"), Buffer.alloc(64)];
  await writeLog(log, [...late, ...none, taken(19, 1_900_000_000)]);
  for (const _ of ["once", "again"]) {
    const { exit_code, facts, error } = await run(monitor, ...words);
    assert.equal(exit_code, 1);
    const { found } = facts;
    assert(Array.isArray(found));
    assert.equal(found.at(-1)?.id, 19, "what is behind them is told");
    assert.match(error, /^Entry 15, .* is none: the entry has a size that no entry has\. /);
    assert.match(error, / 4 entries are none\. The copy stays at 10 entries\.$/);
  }
});

eachEngine("an export is the whole log, for readers who need no service", async (service) => {
  const ada = await service.register("ada");
  const bob = await service.register("bob");
  const folder = newFile();
  await refuses(
    service.service,
    ["log export", "--to", folder],
    /There is no published checkpoint/,
  );
  await operate(service.service, "log init");
  const copy = newFile();
  let seen = 0;
  for (const count of [3, 300, 1]) {
    for (let i = 0; i < count; i++) await ada.post("/post", { body: `post ${seen + i}` });
    await service.seal();
    const { facts } = await operate(service.service, "log export", "--to", folder);
    assert.deepEqual(facts["old_size"], seen === 0 ? 0 : facts["old_size"]);
    const note = readFileSync(join(folder, "checkpoint"), "utf8");
    assert.equal(parseCheckpoint(note)?.size, facts["size"]);
    const log = await currentLog(service.service.store.read);
    assert(log !== null);
    const policy = await trusting(vkeyOf(log.key));
    const words = [folder, "--to", copy, "--policy", policy, "--agent", ada.agent_id];
    const heard = await run(monitor, ...words);
    assert.equal(heard.exit_code, 0, heard.error);
    const { found } = heard.facts;
    assert(Array.isArray(found));
    assert.equal(found.filter(({ kind }) => kind === "post").length, count);
    const [fromWeb, fromFiles] = [`${service.url}/tlog`, copy];
    for (const from of [fromWeb, fromFiles]) {
      const mirrored = await run(mirror, from, "--to", newFile(), "--policy", policy);
      assert.deepEqual([mirrored.exit_code, mirrored.facts["size"]], [0, facts["size"]]);
    }
    const again = await run(mirror, copy, "--to", copy, "--policy", policy, "--audit");
    const { entries, faults, breaches } = Object(again.facts["audit"]);
    assert.deepEqual([again.exit_code, entries, faults], [0, facts["size"], 0], again.error);
    assert.deepEqual(breaches, []);
    seen += count;
  }
  await bob.post("/post", { body: "unseen" });
  const again = await operate(service.service, "log export", "--to", folder);
  assert.equal(again.facts["files"], 1, "only the checkpoint is written again");
  await writeLog(folder, entries(20));
  await refuses(service.service, ["log export", "--to", folder], /does not continue/);
});

/** One entry with other members, as its writer would have made it. */
function changed(entry: Uint8Array, change: (was: Entry) => Partial<Entry>): Buffer {
  const was = parseEntry(entry);
  const next = { ...was, ...change(was) };
  return Buffer.from(entryText({ ...next, body: flatJson(next.body) }));
}

test("an audit of a mirror names what a signed log says against its own rules", async (t) => {
  const keyFile = newFile();
  const pem = signer(VECTORS.log.seed).export({ format: "pem", type: "pkcs8" });
  writeFileSync(keyFile, pem, { mode: 0o600 });
  const service = await openTestService("sqlite", "audited", {
    CAIRN_ORIGIN: VECTORS.log.origin.replace(/\/log$/, ""),
    CAIRN_LOG_KEY_FILE: keyFile,
  });
  t.after(() => service.close());
  const ada = await service.register("ada");
  await operate(service.service, "log init");
  for (const body of ["one", "two"]) await ada.post("/post", { body });
  await service.seal();
  const log = logAt(service);
  const sound = await entriesOfLog(log, await checkpointOf(log, null));
  const [folder, policy] = [newFile(), await trusting(VECTORS.log.vkey)];
  const audited = async (ledger: readonly Uint8Array[]) => {
    await writeLog(folder, ledger);
    const words = [folder, "--to", newFile(), "--policy", policy, "--audit"];
    const { exit_code, facts, error } = await run(mirror, ...words);
    const { audit } = facts;
    if (audit === undefined) return error; // The mirror itself refuses what is no entry.
    const { findings, breaches } = Object(audit);
    assert(Array.isArray(findings) && Array.isArray(breaches), error);
    const reported = [
      ...findings.map(({ ledger_id, reason }) => `${ledger_id}: ${reason}`),
      ...breaches.map(({ ledger_id, rule }) => `${ledger_id}: ${rule}`),
    ];
    assert.equal(exit_code, reported.length === 0 ? 0 : 1);
    return reported.join("; ");
  };
  assert.equal(await audited(sound), "");
  const last = sound.length;
  const altered = (id: number, change: (was: Entry) => Partial<Entry>) =>
    sound.with(id - 1, changed(sound[id - 1] ?? Buffer.of(), change));
  const keyId = sound.findIndex((entry) => parseEntry(entry).kind === "log_key") + 1;
  const to = `ag_${"b".repeat(20)}`;
  const stolen = { transfer_id: 1, from: ada.agent_id, to, amount_micro: 5 };
  for (const [ledger, fault] of [
    [altered(last, () => ({ ref: "1" })), /^\d+: an earlier entry has its kind and ref$/],
    [altered(last, () => ({ at: 1 })), /its time is before that of the entry before it/],
    [altered(last, () => ({ id: 99 })), /its id says 99/],
    [sound.with(last - 1, Buffer.alloc(80, "x")), /does not begin with the tag line/],
    [
      altered(last, () => ({ kind: "coin_reward", ref: "9", body: {} })),
      /the body is none of its kind/,
    ],
    [
      altered(last, ({ body }) => ({ body: Object.fromEntries(Object.entries(body).slice(1)) })),
      /^\d+: the body is none of its kind: no sum is made from here on; \d+: post 2: No post has/,
    ],
    [
      [
        ...altered(last - 1, () => ({ body: {} })).slice(0, -1),
        ...altered(last, () => ({ kind: "coin_transfer", ref: "1", body: stolen })).slice(-1),
      ],
      /: the body is none of its kind.*; \d+: post 1: No post.*; \d+: coin_transfer 1: There is no agent/,
    ],
    [
      altered(last, () => ({ kind: "coin_transfer", ref: "1", body: stolen })),
      /^\d+: coin_transfer 1: There is no agent/,
    ],
    [
      altered(1, ({ body }) => ({ body: { ...body, origin: "example.org/other" } })),
      /genesis 1: it names the origin example.org\/other/,
    ],
    [
      altered(keyId, ({ body }) => ({ body: { ...body, pubkey: "11".repeat(32) } })),
      /^null: it is not signed with the key that the entries name$/,
    ],
  ] as const)
    assert.match(await audited(ledger), fault);
});

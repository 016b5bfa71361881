import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { endOf } from "../src/cli/command/runner.ts";
import { mirror } from "../src/cli/log/mirror.ts";
import { currentLog } from "../src/domains/tlog/log.ts";
import { sharedJobs } from "../src/main/jobs/shared.ts";
import { parseCheckpoint, type SignedCheckpoint } from "../src/platform/kernel/tlog/checkpoint.ts";
import { vkeyOf } from "../src/platform/kernel/tlog/note.ts";
import { faultBy, parsePolicy } from "../src/platform/kernel/tlog/policy.ts";
import { verifySignature } from "../src/platform/ledger/seals/ed25519.ts";
import { sha256 } from "../src/platform/ledger/sha256.ts";
import { operate } from "./operator.ts";
import { runCairn } from "./process.ts";
import { clientOf, openTestService, seededRandom } from "./service.ts";
import { newFile, verifyJson } from "./verify-run.ts";
import { threeWitnesses } from "./witnessed.ts";

/** Two services on copies of one data folder are two histories under one key. */

/** A thousand in the long run. */
const FORKS = Number(process.env["TEST_ROUNDS"] ?? 2);

type Opened = Awaited<ReturnType<typeof openTestService>>;

/** A witnessed network at rest: its data folder, and an agent's token. */
async function networkAtRest(t: TestContext) {
  const three = await threeWitnesses();
  t.after(() => three.close());
  const dataDir = newFile();
  const settings = { ...three.settings, CAIRN_DATA_DIR: dataDir };
  const service = await openTestService("sqlite", "split", settings);
  three.timedBy(() => service.service.clock.now());
  const { token, post } = await service.register("ada");
  await operate(service.service, "log init");
  const log = await currentLog(service.service.store.read);
  assert(log !== null);
  three.logs.push(vkeyOf(log.key));
  for (const body of ["one", "two"]) await post("/post", { body });
  await service.seal();
  await asked(service);
  const at = (await published(service))?.size ?? assert.fail(service.alarms.join());
  await service.close();
  const policyFile = newFile();
  const policyText = `log ${vkeyOf(log.key)}\n${three.text}`;
  writeFileSync(policyFile, policyText);
  const policy = parsePolicy(policyText, sha256);
  return { ...three, settings, dataDir, token, log, at, policy, policyFile };
}

/** Opens the service of a data folder, or of a copy of it. */
async function openOn(
  t: TestContext,
  settings: Readonly<Record<string, string>>,
  seed: string,
): Promise<Opened> {
  const service = await openTestService("sqlite", seed, settings);
  t.after(() => service.close().catch(() => {}));
  return service;
}

async function asked(service: Opened): Promise<void> {
  const [asking] = sharedJobs(service.service).jobs.filter(({ name }) => name === "witnesses");
  await asking?.run();
}

async function published({ url }: Opened, prefix = "/tlog"): Promise<SignedCheckpoint | null> {
  const answer = await fetch(`${url}${prefix}/checkpoint`);
  return answer.status === 200 ? parseCheckpoint(await answer.text()) : null;
}

function copyOf(dataDir: string): string {
  const copy = newFile();
  cpSync(dataDir, copy, { recursive: true });
  return copy;
}

/** An agent writes, and the service seals and signs. */
async function wrote(service: Opened, token: string, bodies: readonly string[]): Promise<void> {
  const { post } = clientOf(service.url);
  for (const body of bodies) assert.equal((await post("/post", { body }, { token })).status, 201);
  await service.seal();
}

test("of two forks of one data folder the witnesses cosign one, and tell of the other", async (t) => {
  const network = await networkAtRest(t);
  const { settings, dataDir, token, at, policyFile } = network;
  const forkDir = copyOf(dataDir);
  const truth = await openOn(t, settings, "truth");
  network.timedBy(() => truth.service.clock.now());
  const fork = await openOn(t, { ...settings, CAIRN_DATA_DIR: forkDir }, "fork");

  await wrote(truth, token, ["three", "four"]);
  await asked(truth);
  assert.equal((await published(truth))?.size, at + 2);
  assert.deepEqual(truth.alarms, []);

  await wrote(fork, token, ["three", "another four", "five"]);
  await asked(fork);
  assert.equal((await published(fork))?.size, at, "what was seen before is all that is shown");
  assert(fork.alarms.includes("witness_inconsistent"), fork.alarms.join());
  const evidence = join(forkDir, "evidence");
  assert.equal(readdirSync(evidence).length, 3, "of each witness");
  for (const name of readdirSync(evidence))
    assert.match(readFileSync(join(evidence, name), "utf8"), new RegExp(`^old ${at + 2}\n`));
  const { read } = fork.service.store;
  const log = await currentLog(read);
  assert.equal(log?.origin, network.log.origin);

  // The operator shows it all the same: no reader with a policy takes it.
  await fork.close();
  const { CAIRN_WITNESS_POLICY_FILE: _, ...alone } = settings;
  const shown = await openOn(t, { ...alone, CAIRN_DATA_DIR: forkDir }, "shown");
  await shown.seal();
  const forked = await published(shown);
  assert.equal(forked?.size, at + 3);
  for (const [{ url }, exit_code, reasons] of [
    [truth, 0, []],
    [shown, 1, [/the log: its witnesses are no quorum/]],
  ] as const) {
    const verified = await verifyJson([url, "--entries", "--policy", policyFile]);
    assert.equal(verified.exit_code, exit_code, verified.error);
    for (const [i, reason] of reasons.entries()) assert.match(verified.reasons[i] ?? "", reason);
  }
  // A mirror that asks for no witness still has both notes.
  const trusting = newFile();
  writeFileSync(trusting, `log ${vkeyOf(network.log.key)}\nquorum none\n`);
  const copy = newFile();
  const words = (from: Opened) => [`${from.url}/tlog`, "--to", copy, "--policy", trusting];
  assert.equal((await endOf(mirror, words(truth))).exit_code, 0);
  assert.equal((await endOf(mirror, words(shown))).exit_code, 3);
  assert.equal(readdirSync(join(copy, "evidence")).length, 2);
});

test(`of ${FORKS} forks of a data folder none has a quorum for both histories`, async (t) => {
  const network = await networkAtRest(t);
  const { settings, dataDir, token, at, policy, witnesses } = network;
  const before = witnesses.map(({ witness }) => new Map(witness.seen));
  const random = seededRandom("split");
  const draw = (below: number) => Number(random(1)[0]) % below;
  let quorums = 0;
  for (let n = 0; n < FORKS; n++) {
    for (const [i, { witness }] of witnesses.entries()) {
      witness.seen.clear();
      for (const [origin, head] of before[i] ?? []) witness.seen.set(origin, head);
    }
    const folders = [copyOf(dataDir), copyOf(dataDir)];
    const sides: Opened[] = [];
    for (const [i, CAIRN_DATA_DIR] of folders.entries())
      sides.push(await openOn(t, { ...settings, CAIRN_DATA_DIR }, `fork ${n} ${i}`));
    for (let turn = 0; turn < 6; turn++) {
      const side = sides[turn < 2 ? turn : draw(2)];
      assert(side !== undefined);
      network.timedBy(() => side.service.clock.now());
      for (const { place, witness } of witnesses)
        place.say(draw(3) === 0 ? () => ({ status: 503, body: "" }) : witness.add);
      const count = 1 + draw(3);
      const bodies = Array.from({ length: count }, (_, i) => `${n} ${sides.indexOf(side)} ${i}`);
      await wrote(side, token, bodies);
      side.pass(4_000); // Every witness may be asked again.
      await asked(side);
    }
    const heads = await Promise.all(sides.map((side) => published(side)));
    for (const head of heads)
      assert.equal(head && faultBy({ verifySignature }, policy, head), null, "never without one");
    const grown = heads.filter((head) => (head?.size ?? 0) > at);
    quorums += grown.length;
    assert(grown.length < 2, `fork ${n}: ${grown.map((head) => head?.size)}`);
    for (const side of sides) await side.close();
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
  assert(quorums > 0, "some history had its quorum");
  t.diagnostic(`${quorums} of ${FORKS} had one quorum`);
});

test("a folder that was put back from an old copy signs nothing new; a restore begins another log", async (t) => {
  const network = await networkAtRest(t);
  const { settings, dataDir, token, at, logs } = network;
  const old = copyOf(dataDir);
  const backup = newFile();
  const variables = { CAIRN_DATA_DIR: dataDir, CAIRN_ORIGIN: "test.example/network" };
  const backed = await runCairn(["backup", backup], variables);
  assert.equal(backed.code, 0, backed.err);
  const truth = await openOn(t, settings, "truth");
  network.timedBy(() => truth.service.clock.now());
  await wrote(truth, token, ["three", "four", "five"]);
  await asked(truth);
  assert.equal((await published(truth))?.size, at + 3);
  await truth.close();

  // Its own memory went back with it, so only the witnesses know better.
  const behind = await openOn(t, { ...settings, CAIRN_DATA_DIR: old }, "behind");
  await wrote(behind, token, ["a new three"]);
  await asked(behind);
  assert(behind.alarms.includes("witness_ahead"), behind.alarms.join());
  await wrote(behind, token, ["a new four"]);
  assert(behind.alarms.includes("log_refuses"), behind.alarms.join());
  assert.equal((await published(behind))?.size, at);
  assert.equal(behind.service.logSigner.recall() === null, false);
  const memory = behind.service.logSigner.recall();
  assert(memory !== null && memory !== "unreadable" && memory.size === at + 1);
  await behind.close();

  for (const end of ["", "-wal", "-shm"]) rmSync(join(dataDir, `cairn.db${end}`), { force: true });
  const words = ["restore", backup, "--reason", "The disk died.", "--yes", "--json"];
  const restored = await runCairn(words, variables);
  assert.equal(JSON.parse(restored.out).loss?.epoch, 2, restored.out + restored.err);
  const again = await openOn(t, settings, "again");
  network.timedBy(() => again.service.clock.now());
  await again.seal();
  assert.equal(await published(again), null, "the first log is over");
  const { facts } = await operate(again.service, "log init");
  assert.equal(facts["log_origin"], "test.example/network/log/2");
  const log = await currentLog(again.service.store.read);
  assert(log !== null);
  assert.notEqual(log.key.pubkey, network.log.key.pubkey);
  logs.push(vkeyOf(log.key));
  await again.seal();
  await asked(again);
  const head = await published(again, "/tlog/2");
  assert.equal(head?.origin, "test.example/network/log/2", again.alarms.join());
  assert.equal(await published(again), null);
});

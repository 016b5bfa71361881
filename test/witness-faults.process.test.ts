import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { currentLog } from "../src/domains/tlog/log.ts";
import { witnessStates } from "../src/domains/tlog/witness-queries.ts";
import { sharedJobs } from "../src/main/jobs/shared.ts";
import {
  addCheckpointBody,
  checkpointText,
  parseCheckpoint,
} from "../src/platform/kernel/tlog/checkpoint.ts";
import { logLine, noteOf, parseVkey, vkeyOf } from "../src/platform/kernel/tlog/note.ts";
import { faultBy, parsePolicy, witnessesOf } from "../src/platform/kernel/tlog/policy.ts";
import { consistencyRanges } from "../src/platform/kernel/tlog/tree.ts";
import { append } from "../src/platform/ledger/append.ts";
import { heartbeat } from "../src/platform/ledger/entries.ts";
import { verifySignature } from "../src/platform/ledger/seals/ed25519.ts";
import { sha256 } from "../src/platform/ledger/sha256.ts";
import { litewitness, NO_LITEWITNESS } from "./litewitness.ts";
import { checkpointOf, entriesOfLog, logAt } from "./log.ts";
import { operate } from "./operator.ts";
import { openTestService } from "./service.ts";
import { newFile } from "./verify-run.ts";
import { type Said, serveWitness, witnessOf } from "./witness-server.ts";
import { treeOf } from "./witness-tree.ts";
import { largeEntry } from "./witness-vectors.ts";

const ORIGIN = "test.example/network/log";
const BEHIND = 10_000;
const HOURS = 3 * 3_600;

/** A witness in a process or a service of its own. */
interface Place {
  readonly url: string;
  readonly vkey: string;
  readonly start: () => Promise<unknown>;
  readonly stop: () => Promise<unknown>;
  readonly learn: (vkey: string) => Promise<void>;
}

/** A witness of this project's tests, where litewitness cannot be had. */
async function standIn(t: TestContext, name: string): Promise<Place> {
  const logs: string[] = [];
  const witness = witnessOf(name, logs, () => Math.floor(Date.now() / 1_000));
  const place = await serveWitness(witness);
  t.after(place.close);
  const away = (): Said => ({ status: 502, body: "" });
  return {
    url: place.url,
    vkey: witness.vkey,
    start: async () => place.say(witness.add),
    stop: async () => place.say(away),
    learn: async (vkey) => void logs.push(vkey),
  };
}

/** A Cairn that witnesses the log. */
async function cairn(t: TestContext): Promise<Place> {
  const list = newFile();
  writeFileSync(list, "logs/v0\n");
  const service = await openTestService("sqlite", "a witness", { CAIRN_WITNESS_LOGS: list });
  t.after(() => service.close());
  const { facts } = await operate(service.service, "witness show");
  const [, , vkey = ""] = String(facts["line"]).split(" ");
  return {
    url: `${service.url}/witness`,
    vkey,
    start: async () => {},
    stop: async () => {},
    async learn(log) {
      writeFileSync(list, `logs/v0\nvkey ${log}\nqpd 2880\n`);
      await service.service.witness?.readLogs();
    },
  };
}

/** A way to a witness, on which a fault can be put. */
async function wayTo(t: TestContext, place: Place) {
  const key = parseVkey(place.vkey, sha256);
  assert(key !== null);
  const forward = (body: string, res: Parameters<Parameters<typeof way.say>[0]>[1]) => {
    const [method = "", path = ""] = (way.requests.at(-1) ?? "").split(" ");
    void fetch(place.url + path, { method, ...(method === "POST" && { body }) }).then(
      async (answer) => {
        const type = answer.headers.get("content-type") ?? "";
        res.writeHead(answer.status, { "content-type": type }).end(await answer.text());
      },
      () => res.destroy(),
    );
    return null;
  };
  const way = await serveWitness(
    witnessOf(key.name, [], () => 0),
    () => null,
  );
  way.say(forward);
  t.after(way.close);
  return { ...way, isFree: () => way.say(forward) };
}

/** A network whose log two litewitnesses and a Cairn witness; two of them are a quorum. */
async function witnessedByThree(t: TestContext) {
  if (NO_LITEWITNESS !== null)
    t.diagnostic(`${NO_LITEWITNESS}: two witnesses of these tests stand in`);
  const lite = (n: number): Promise<Place> =>
    NO_LITEWITNESS === null ? litewitness(t, ORIGIN) : standIn(t, `w${n}.example`);
  const places = [await lite(1), await lite(2), await cairn(t)] as const;
  const ways = [await wayTo(t, places[0]), await wayTo(t, places[1]), await wayTo(t, places[2])];
  const witnesses = places.map(({ vkey }, i) => `witness w${i + 1} ${vkey} ${ways[i]?.url}`);
  const text = `${witnesses.join("\n")}\ngroup two 2 w1 w2 w3\nquorum two\n`;
  const policyFile = newFile();
  writeFileSync(policyFile, text);
  const service = await openTestService("sqlite", "faults", {
    CAIRN_WITNESS_POLICY_FILE: policyFile,
    CAIRN_WITNESS_ALLOW_PRIVATE: "on",
  });
  t.after(() => service.close());
  const ada = await service.register("ada");
  await operate(service.service, "log init");
  const { read, write } = service.service.context;
  const log = await currentLog(read);
  assert(log !== null);
  for (const { learn } of places) await learn(vkeyOf(log.key));
  const policy = parsePolicy(`log ${vkeyOf(log.key)}\n${text}`, sha256);
  const [asking] = sharedJobs(service.service).jobs.filter(({ name }) => name === "witnesses");
  const way3 = ways[2];
  assert(asking !== undefined && way3 !== undefined);
  return {
    service,
    log,
    write,
    one: places[0],
    three: places[2],
    way3,
    async wrote(body: string): Promise<void> {
      assert.equal((await ada.post("/post", { body })).status, 201);
      await service.seal();
    },
    /** Asks each witness that is to be asked, and resolves to the alarms. */
    async ask(): Promise<readonly string[]> {
      service.pass(HOURS); // Nobody is left alone for longer.
      service.alarms.length = 0;
      await asking.run();
      return service.alarms;
    },
    async published() {
      const answer = await fetch(`${service.url}/tlog/checkpoint`);
      const checkpoint = parseCheckpoint(await answer.text());
      assert(checkpoint !== null);
      assert.equal(faultBy({ verifySignature }, policy, checkpoint), null, "it has its quorum");
      const words = witnessesOf({ verifySignature }, policy, checkpoint.note);
      return { size: checkpoint.size, by: words.map(({ witness }) => witness).sort() };
    },
    head: async (): Promise<number> => (await service.get("/seal")).body.seals.at(-1).to_id,
    errors: async () =>
      (await witnessStates.all(read, { origin: ORIGIN })).map(({ last_error }) => last_error),
  };
}

type Network = Awaited<ReturnType<typeof witnessedByThree>>;

test("two litewitnesses and a Cairn, two of three: every fault, and no checkpoint without two", async (t) => {
  const network = await witnessedByThree(t);
  await stoppedAndGarbage(network);
  await silent(network);
  await behind(network);
  await ahead(network);
  await stolenKey(network);
});

async function stoppedAndGarbage({ wrote, ask, published, head, errors, one, way3 }: Network) {
  await wrote("all is well");
  assert.deepEqual(await ask(), []);
  const first = await published();
  assert.deepEqual(first, { size: await head(), by: ["w1", "w2", "w3"] });

  // The word of the third is no quorum.
  await one.stop();
  way3.say(() => ({ status: 200, body: "garbage" }));
  await wrote("one is left");
  assert.deepEqual(await ask(), ["witness_bad_signature"]);
  assert.deepEqual(await published(), first);
  const [stopped, well, garbage] = await errors();
  assert.match(stopped ?? "", /^unavailable/);
  assert.deepEqual([well, garbage], [null, "bad_signature: no valid line"]);
  assert.deepEqual(await ask(), ["unwitnessed"]);
  assert.deepEqual(await published(), first);
  await one.start();
  await ask();
  assert.deepEqual(await published(), { size: await head(), by: ["w1", "w2"] });
}

/** One accepts and never answers: nobody waits for it, and two others are enough. */
async function silent({ wrote, ask, published, head, errors, way3 }: Network) {
  way3.say(() => null);
  await wrote("one is silent");
  const asked = ask();
  let isOver = false;
  void asked.then(() => (isOver = true));
  await wrote("a write meanwhile");
  assert.equal(isOver, false, "the silent one is still waited for");
  await asked;
  assert.match((await errors())[2] ?? "", /^unavailable: no answer in time/);
  await ask();
  assert.deepEqual(await published(), { size: await head(), by: ["w1", "w2"] });
}

/** The silent one is behind by 10,000 entries when it is back. */
async function behind({ service, write, ask, published, errors, way3 }: Network) {
  const { size } = await published();
  await write(async (tx) => {
    for (let n = 0; n < BEHIND; n++) append(tx, heartbeat, { after_id: size + n });
  });
  await service.seal();
  await ask();
  assert.deepEqual(await published(), { size: size + BEHIND, by: ["w1", "w2"] });
  way3.isFree();
  await ask();
  assert.deepEqual(await published(), { size: size + BEHIND, by: ["w1", "w2", "w3"] });
  assert.deepEqual(await errors(), [null, null, null]);
}

/** A larger size is a claim; it suspends the one who says it. */
async function ahead({ wrote, ask, published, head, way3 }: Network) {
  const larger = `${(await head()) + BEHIND}\n`;
  way3.say(() => ({ status: 409, body: larger, type: "text/x.tlog.size" }));
  await wrote("somebody claims more");
  assert.deepEqual(await ask(), ["witness_ahead"]);
  assert.deepEqual(await published(), { size: await head(), by: ["w1", "w2"] });
}

/** A thief of the key has a larger tree cosigned. With its note nothing more is signed. */
async function stolenKey(network: Network) {
  const { service, log, wrote, ask, published, head, three, way3 } = network;
  way3.isFree();
  await ask();
  const before = await published();
  assert.deepEqual(before.by, ["w1", "w2", "w3"]);
  const entries = await entriesOfLog(logAt(service), await checkpointOf(logAt(service), log.key));
  const stolen = treeOf([...entries, ...Array.from({ length: 50 }, (_, i) => largeEntry(i))]);
  const end = before.size + 50;
  const root = stolen.rootOf({ from: 0, to: end });
  const key = service.service.logSigner.key();
  assert(key !== null);
  const note = checkpointText({ origin: ORIGIN, size: end, root });
  const body = addCheckpointBody({
    old_size: before.size,
    proof: consistencyRanges(before.size, end).map(stolen.rootOf),
    note: noteOf(note, [logLine(log.key, Buffer.from(key.sign(note), "base64"))]),
  });
  const cosigned = await fetch(`${three.url}/add-checkpoint`, { method: "POST", body });
  assert.equal(cosigned.status, 200, await cosigned.text());
  await wrote("what is true");
  const honest = await head();
  assert.deepEqual(await ask(), ["witness_ahead"]);
  assert.deepEqual(await published(), { size: honest, by: ["w1", "w2"] });
  assert.equal(readdirSync(join(service.configuration.dataDir, "evidence")).length, 1);
  await wrote("nothing of this is signed");
  assert(service.alarms.includes("log_refuses"), service.alarms.join());
  await ask();
  assert.equal((await published()).size, honest);
  assert(existsSync(`${service.service.logSigner.keyFile}.signed-elsewhere.note`));
}

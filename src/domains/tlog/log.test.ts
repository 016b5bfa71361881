import assert from "node:assert/strict";
import { existsSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkpointOf, entriesOfLog, logAt } from "../../../test/log.ts";
import { operate, refuses } from "../../../test/operator.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../test/service.ts";
import { isSame, logNode } from "../../platform/kernel/proof/merkle.ts";
import { vkeyOf } from "../../platform/kernel/tlog/note.ts";
import { levelsOf, tilePath, tilesBetween } from "../../platform/kernel/tlog/tiles.ts";
import { inclusionRoot, isConsistent } from "../../platform/kernel/tlog/tree.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import { currentLog } from "./log.ts";
import { consistencyProof, inclusionProof } from "./proofs.ts";

const node = logNode(sha256);

async function posts(agent: TestAgent, count: number): Promise<void> {
  for (let i = 1; i <= count; i++) await agent.post("/post", { body: `post ${i}` });
}

async function begun(service: TestService): Promise<TestAgent> {
  const ada = await service.register("ada");
  await operate(service.service, "log init");
  await posts(ada, 3);
  await service.seal();
  return ada;
}

const memoryOf = ({ configuration }: TestService) => join(configuration.dataDir, "log-memory.json");

eachEngine("without a log its addresses are not there", async (service) => {
  await service.seal();
  assert.equal((await fetch(`${service.url}/tlog/checkpoint`)).status, 404);
  assert.equal((await fetch(`${service.url}/tlog/tile/0/000`)).status, 404);
});

eachEngine("the log is the ledger: every entry, under a signed checkpoint", async (service) => {
  const ada = await begun(service);
  const key = (await currentLog(service.service.store.read))?.key ?? null;
  const first = await checkpointOf(logAt(service), key);
  assert.deepEqual([first.origin, first.size], ["test.example/network/log", 6]);
  await posts(ada, 300);
  await service.seal();
  const second = await checkpointOf(logAt(service), key);
  const { body } = await service.get("/seal");
  const [seal] = body.seals.slice(-1);
  assert.deepEqual([second.size, second.root.toHex()], [seal.to_id, seal.log_root]);
  const entries = await entriesOfLog(logAt(service), second);
  const { body: since } = await service.get("/since?after_id=0&limit=1000&with=entry");
  const shown = since.entries.map(({ entry }: { entry: string }) => entry);
  assert.deepEqual(entries.map(String), shown);
  const [named] = since.entries.filter(({ kind }: { kind: string }) => kind === "log_key");
  assert.deepEqual(
    [named.ref, named.body],
    ["1/1", { epoch: 1, log_origin: first.origin, pubkey: key?.pubkey }],
  );

  const { body: proof } = await service.get("/seal/proof?kind=genesis&id=1&with=tlog");
  assert.equal(proof.tlog_proof, (await logAt(service)("proof/1")).toString());
  const { body: bare } = await service.get("/seal/proof?kind=genesis&id=1");
  assert.equal("tlog_proof" in bare, false);
  const { body: shown_log } = await service.get("/verify");
  assert.deepEqual(shown_log.log, {
    origin: first.origin,
    vkey: vkeyOf(key ?? assert.fail()),
    url: "http://127.0.0.1:8080/tlog",
    policy_url: "http://127.0.0.1:8080/tlog/policy",
  });
  const { read } = service.service.store;
  for (const old of [1, 6, 255, 256, 257, second.size]) {
    const proof = await consistencyProof(read, old, second.size);
    const root = old === 6 ? first.root : null;
    if (root !== null) assert(isConsistent({ size: old, root }, second, proof, node));
  }
  for (const index of [0, 5, 255, 256, second.size - 1]) {
    const [leaf] = [Buffer.from(since.entries[index].leaf, "hex")];
    const path = await inclusionProof(read, index, second.size);
    const root = inclusionRoot(leaf, { index, size: second.size }, path, node);
    assert(root !== null && isSame(root, second.root));
  }
});

eachEngine("tiles under the checkpoint are served for ever, others not at all", async (service) => {
  const ada = await begun(service);
  await posts(ada, 300);
  await service.seal();
  const { size } = await checkpointOf(logAt(service), null);
  for (const level of [...levelsOf(size), "entries" as const]) {
    for (const tile of tilesBetween(level, 0, size)) {
      const answer = await fetch(`${service.url}/tlog/${tilePath(tile)}`);
      assert.equal(answer.status, 200);
      const { headers } = answer;
      assert.equal(headers.get("content-type"), "application/octet-stream");
      assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable");
      assert.equal(headers.get("access-control-allow-origin"), "*");
      const plain = await fetch(`${service.url}/tlog/${tilePath(tile)}`, {
        headers: { "accept-encoding": "identity" },
      });
      assert.equal(plain.headers.get("content-encoding"), null);
      const [packed, bytes] = [await answer.arrayBuffer(), await plain.arrayBuffer()];
      assert(isSame(Buffer.from(packed), Buffer.from(bytes)));
      const beyond = { ...tile, n: tile.n + 1 };
      assert.equal((await fetch(`${service.url}/tlog/${tilePath(beyond)}`)).status, 404);
    }
  }
  for (const path of [`tile/0/001.p/${size - 255}`, "tile/0/1", "tile/0/000.p/0", "", "tile", "x"])
    assert.equal((await fetch(`${service.url}/tlog/${path}`)).status, 404, path);
  const answer = await fetch(`${service.url}/tlog/checkpoint`);
  assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal(answer.headers.get("cache-control"), "public, max-age=5");
  const etag = answer.headers.get("etag") ?? "";
  const again = await fetch(`${service.url}/tlog/checkpoint`, {
    headers: { "if-none-match": etag },
  });
  assert.equal(again.status, 304);
  const head = await fetch(`${service.url}/tlog/checkpoint`, { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal((await fetch(`${service.url}/tlog/checkpoint`, { method: "POST" })).status, 405);
});

eachEngine("a network that has run for long gets its log from its entries", async (service) => {
  const ada = await service.register("ada");
  for (let i = 0; i < 5; i++) {
    await posts(ada, 70);
    await service.seal();
  }
  await operate(service.service, "log init");
  await service.seal();
  const head = await checkpointOf(logAt(service), null);
  assert.equal((await entriesOfLog(logAt(service), head)).length, head.size);
});

eachEngine(
  "a key is made once; without it, or with another, nothing is signed",
  async (service) => {
    const ada = await begun(service);
    const { keyFile } = service.service.logSigner;
    const again = await operate(service.service, "log init");
    assert.equal(again.facts["begun"], false);
    renameSync(keyFile, `${keyFile}.away`);
    await refuses(
      service.service,
      ["log init"],
      /is not in .*log\.key: put it there, or pass --lost/,
    );
    await posts(ada, 1);
    await service.seal();
    assert.equal((await checkpointOf(logAt(service), null)).size, 6);
    assert(service.alarms.includes("log_refuses"));
    const { facts } = await operate(service.service, "log init", "--lost");
    assert.equal(facts["log_origin"], "test.example/network/log/1/2");
    await service.seal();
    assert.equal((await fetch(`${service.url}/tlog/checkpoint`)).status, 404);
    const head = await checkpointOf(logAt(service, "/tlog/1/2"), null);
    assert.deepEqual([head.origin, head.size], [facts["log_origin"], 8]);
    service.alarms.length = 0;
  },
);

eachEngine("no two trees are signed, whatever the memory says", async (service) => {
  const ada = await begun(service);
  const { logSigner } = service.service;
  const memory = logSigner.recall();
  assert(memory !== null && memory !== "unreadable");
  // The crash came between the memory and the database: the next look has the same note stored.
  await posts(ada, 2);
  await service.sequenced();
  await service.seal();
  const newest = logSigner.recall();
  assert(newest !== null && newest !== "unreadable" && newest.size === memory.size + 2);
  assert.deepEqual(
    (await checkpointOf(logAt(service), null)).size,
    newest.size,
    "the newest is served",
  );
  // Another tree of the same size was signed: this database is not what the key has signed.
  for (const [forged, state] of [
    [{ ...newest, root: "00".repeat(32) }, "inconsistent"],
    [{ ...newest, size: newest.size - 1 }, "memory_missing"],
    [{ ...newest, size: newest.size + 100 }, "database_behind"],
  ] as const) {
    logSigner.remember(forged);
    service.alarms.length = 0;
    await posts(ada, 1);
    await service.seal();
    assert.equal((await checkpointOf(logAt(service), null)).size, newest.size, state);
  }
  assert(existsSync(memoryOf(service)));
  unlinkSync(memoryOf(service));
  await service.seal();
  assert.equal((await checkpointOf(logAt(service), null)).size, newest.size);
  writeFileSync(memoryOf(service), "{");
  await service.seal();
  assert.equal((await checkpointOf(logAt(service), null)).size, newest.size);
  logSigner.remember(newest);
  await service.seal();
  assert.equal((await checkpointOf(logAt(service), null)).size, newest.size + 3);
  assert.match(readFileSync(memoryOf(service), "utf8"), /"checkpoint"/);
  service.alarms.length = 0;
});

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { verifyCheckpoint } from "@sigstore/verify/dist/tlog/checkpoint.js";
import { verifyMerkleInclusion } from "@sigstore/verify/dist/tlog/merkle.js";
import { endOf } from "../src/cli/command/runner.ts";
import { mirror } from "../src/cli/log/mirror.ts";
import { currentLog } from "../src/domains/tlog/log.ts";
import { type NoteKey, vkeyOf } from "../src/platform/kernel/tlog/note.ts";
import { checkpointOf, entriesOfLog, logAt } from "./log.ts";
import { fileServer } from "./log-files.ts";
import { operate } from "./operator.ts";
import { openTestService } from "./service.ts";

/** Programs that others wrote for logs of this form, unmodified. */

/** Where Debian's packages put Go's sources, or where they were extracted. */
const GOPATH = process.env["GOPATH"] ?? "/usr/share/gocode";
const run = promisify(execFile);

/** What an entry of Sigstore's own log has besides. */
const UNUSED = {
  logIndex: "0",
  logId: { keyId: Buffer.of() },
  kindVersion: { kind: "", version: "" },
  integratedTime: "0",
  inclusionPromise: undefined,
};

let folder = "";
let service: Awaited<ReturnType<typeof openTestService>>;
let key: NoteKey;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "cairn-readers-"));
  service = await openTestService("sqlite", "readers");
  const ada = await service.register("ada");
  await operate(service.service, "log init");
  for (let i = 0; i < 600; i++) await ada.post("/post", { body: `post ${i}` });
  await service.seal();
  const log = await currentLog(service.service.store.read);
  assert(log !== null);
  key = log.key;
});

after(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Builds the program that reads a log with Go's library; null where that is not here. */
async function goReader(t: TestContext): Promise<string | null> {
  if (!existsSync(join(GOPATH, "src/golang.org/x/mod/sumdb"))) {
    t.skip("SKIPPED: golang-go and golang-golang-x-mod-dev (Debian) are not here; name GOPATH");
    return null;
  }
  const reader = join(folder, "log-reader");
  const source = fileURLToPath(new URL("foreign/log-reader.go", import.meta.url));
  const env = { ...process.env, GO111MODULE: "off", GOPATH };
  if (!existsSync(reader)) await run("go", ["build", "-o", reader, source], { env });
  return reader;
}

test("golang.org/x/mod/sumdb reads every entry, and refuses an altered one", async (t) => {
  const reader = await goReader(t);
  if (reader === null) return;
  const vkey = vkeyOf(key);
  const { stdout } = await run(reader, [`${service.url}/tlog`, vkey]);
  const { size } = await checkpointOf(logAt(service), key);
  assert.equal(stdout, `accepted: ${size} ${size}\n`);

  const copy = join(folder, "copy");
  await operate(service.service, "log export", "--to", copy);
  assert.equal((await run(reader, [copy, vkey])).stdout, stdout);
  for (const [file, reported] of [
    ["tile/entries/001", /entry: entry \d+ is not the one under the checkpoint/],
    ["tile/0/001", /^refused: /],
    ["tile/1/000.p/2", /^refused: /],
    ["checkpoint", /refused: note/],
  ] as const) {
    const path = join(copy, file);
    const bytes = await readFile(path);
    const changed = Buffer.from(bytes);
    const at = file === "checkpoint" ? changed.indexOf("\n") + 2 : 40;
    changed[at] = (changed[at] ?? 0) ^ 1;
    await writeFile(path, changed);
    await assert.rejects(run(reader, [copy, vkey]), (refusal) => {
      assert.match(`${Object(refusal).stdout}`, reported, file);
      return true;
    });
    await writeFile(path, bytes);
  }
  const other = vkeyOf({ ...key, name: `${key.name}x` });
  await assert.rejects(run(reader, [copy, other]));
});

test("@sigstore/verify takes a receipt, and refuses an altered entry", async () => {
  const log = logAt(service);
  const head = await checkpointOf(log, key);
  const entries = await entriesOfLog(log, head);
  const der = Buffer.concat([
    Buffer.from("302a300506032b6570032100", "hex"),
    Buffer.from(key.pubkey, "hex"),
  ]);
  const publicKey = createPublicKey({ key: der, format: "der", type: "spki" });
  const logID = Buffer.from(key.key_id, "hex");
  const trusted = [
    { logID, publicKey, baseURL: key.name, validFor: { start: new Date(0), end: new Date() } },
  ];
  for (const id of [1, 256, 257, head.size]) {
    const receipt = (await log(`proof/${id}`)).toString();
    const [proof = "", ...rest] = receipt.split("\n\n");
    const [tag, index = "", ...hashes] = proof.split("\n");
    assert.deepEqual([tag, index], ["c2sp.org/tlog-proof@v1", `index ${id - 1}`]);
    const entry = (body: Buffer) => ({
      ...UNUSED,
      canonicalizedBody: body,
      inclusionProof: {
        logIndex: String(id - 1),
        treeSize: String(head.size),
        rootHash: Buffer.from(head.root),
        hashes: hashes.map((hash) => Buffer.from(hash, "base64")),
        checkpoint: { envelope: rest.join("\n\n") },
      },
    });
    const right = entry(entries[id - 1] ?? Buffer.of());
    const checkpoint = verifyCheckpoint(right, trusted);
    verifyMerkleInclusion(right, checkpoint);
    const altered = Buffer.from(right.canonicalizedBody);
    altered[altered.length - 3] = (altered[altered.length - 3] ?? 0) ^ 1;
    assert.throws(() => verifyMerkleInclusion(entry(altered), checkpoint), /root hash/);
  }
});

test("with the service stopped, a plain file server is enough for every reader", async (t) => {
  const copy = join(folder, "static");
  const { size } = await checkpointOf(logAt(service), key);
  await operate(service.service, "log export", "--to", copy);
  await service.close();
  const address = await fileServer(t, copy);
  const policy = join(folder, "policy");
  await writeFile(policy, `log ${vkeyOf(key)}\nquorum none\n`);
  const words = [address, "--to", join(folder, "mirror"), "--policy", policy, "--audit"];
  const { exit_code, text } = await endOf(mirror, words);
  assert.equal(exit_code, 0, text);
  assert.match(text, new RegExp(`^Checked: ${size} entries and every hash above them`, "m"));
  assert.match(text, /^No entry breaks a rule, and the sums hold\.$/m);
  const reader = await goReader(t);
  if (reader === null) return;
  const { stdout } = await run(reader, [address, vkeyOf(key)]);
  assert.equal(stdout, `accepted: ${size} ${size}\n`);
});

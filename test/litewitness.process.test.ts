import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { currentLog } from "../src/domains/tlog/log.ts";
import { sharedJobs } from "../src/main/jobs/shared.ts";
import {
  addCheckpointBody,
  checkpointText,
  parseCheckpoint,
} from "../src/platform/kernel/tlog/checkpoint.ts";
import { logLine, noteOf, vkeyOf } from "../src/platform/kernel/tlog/note.ts";
import { parsePolicy, witnessesOf } from "../src/platform/kernel/tlog/policy.ts";
import { verifySignature } from "../src/platform/ledger/seals/ed25519.ts";
import { sha256 } from "../src/platform/ledger/sha256.ts";
import { litewitness, NO_LITEWITNESS } from "./litewitness.ts";
import { operate } from "./operator.ts";
import { openTestService } from "./service.ts";
import vectors from "./vectors/witness.json" with { type: "json" };
import { newFile } from "./verify-run.ts";

test("litewitness cosigns this log, and refuses a fork of it", async (t) => {
  if (NO_LITEWITNESS !== null) {
    t.skip(NO_LITEWITNESS);
    return;
  }
  const origin = "test.example/network/log";
  const { url, vkey, policyFile, learn } = await litewitness(t, origin);
  const settings = { CAIRN_WITNESS_POLICY_FILE: policyFile, CAIRN_WITNESS_ALLOW_PRIVATE: "on" };
  const service = await openTestService("sqlite", "litewitness", settings);
  t.after(() => service.close());
  const ada = await service.register("ada");
  await operate(service.service, "log init");
  const log = await currentLog(service.service.store.read);
  assert(log !== null);
  await learn(vkeyOf(log.key));
  const [asking] = sharedJobs(service.service).jobs.filter(({ name }) => name === "witnesses");
  const policy = parsePolicy(`witness lite ${vkey}\nquorum lite\n`, sha256);
  for (const count of [2, 300, 1]) {
    for (let i = 0; i < count; i++) await ada.post("/post", { body: `post ${i}` });
    await service.seal();
    service.pass(60);
    await asking?.run();
    await service.seal();
    const answer = await (await fetch(`${service.url}/tlog/checkpoint`)).text();
    const checkpoint = parseCheckpoint(answer);
    const { body } = await service.get("/seal");
    assert.equal(checkpoint?.size, body.seals.at(-1).to_id, JSON.stringify(service.alarms));
    assert(checkpoint !== null);
    const words = witnessesOf({ verifySignature }, policy, checkpoint.note);
    assert.equal(words.length, 1, answer);
  }
  assert.deepEqual(service.alarms, []);

  // The same key signs another history: the witness has seen ours.
  const signing = service.service.logSigner.key();
  assert(signing !== null);
  const { body } = await service.get("/seal");
  const seen = body.seals.at(-1).to_id;
  for (const [old_size, size, status] of [
    [seen, seen + 1, 422],
    [seen, seen, 422],
    [seen - 1, seen + 1, 409],
  ] as const) {
    const text = checkpointText({ origin, size, root: Buffer.alloc(32, 9) });
    const line = logLine(log.key, Buffer.from(signing.sign(text), "base64"));
    const proof = old_size === size ? [] : [Buffer.alloc(32, 8)];
    const forked = addCheckpointBody({ old_size, proof, note: noteOf(text, [line]) });
    const answer = await fetch(`${url}/add-checkpoint`, { method: "POST", body: forked });
    assert.equal(answer.status, status);
    if (status === 409) assert.equal(await answer.text(), `${seen}\n`);
  }
});

test("litewitness and a Cairn as a witness answer the same requests alike", async (t) => {
  if (NO_LITEWITNESS !== null) {
    t.skip(NO_LITEWITNESS);
    return;
  }
  const { origin, vkey } = vectors.log;
  const { url, learn } = await litewitness(t, origin);
  await learn(vkey);
  const list = newFile();
  writeFileSync(list, vectors.log_list_entry);
  const service = await openTestService("sqlite", "alike", { CAIRN_WITNESS_LOGS: list });
  t.after(() => service.close());
  const [a = "", b = "", c = ""] = vectors.add_checkpoint.map(({ request }) => request);
  const note = c.slice(c.indexOf("\n\n") + 2);
  const hash = `${"A".repeat(43)}=`;
  const requests = [
    ["nothing", ""],
    ["the first tree", a],
    ["the first tree from 0 again", a],
    ["an old size below", b.replace("old 4", "old 3")],
    ["a changed proof", b.replace(/\n[A-Za-z0-9+/]{43}=/, `\n${hash}`)],
    ["no proof", b.replace(/\n[A-Za-z0-9+/]{43}=/, "")],
    ["one line too many", b.replace("\n\n", `\n${hash}\n\n`)],
    ["the second tree", b],
    ["the second tree again", b],
    ["the third tree", c],
    ["the same tree", `old 13\n\n${note}`],
    ["the same tree with a proof", `old 13\n${hash}\n\n${note}`],
    ["an old size above", `old 14\n\n${note}`],
    ["an old size with a zero", `old 013\n\n${note}`],
    ["no old size", `\n\n${note}`],
    ["an unknown log", `old 13\n\n${note.replaceAll(origin, "example.org/other/log")}`],
    ["a wrong signature", `old 13\n\n${note.replace("qp6NDK", "qp6NDA")}`],
    ["no signature", `old 13\n\n${note.replace(/\n\u2014 [\s\S]*/, "\n")}`],
    ["a carriage return", `old 13\n\n${note.replace("13\n", "13\r\n")}`],
    ["a smaller tree", `old 13\n\n${b.slice(b.indexOf("\n\n") + 2)}`],
  ] as const;
  type Said = [name: string, status: number, isSize: boolean, size: string];
  const say = async (name: string, place: string, body: string): Promise<Said> => {
    const answer = await fetch(`${place}/add-checkpoint`, { method: "POST", body });
    const size = answer.status === 409 ? await answer.text() : "";
    const type = answer.headers.get("content-type") ?? "";
    return [name, answer.status, type.startsWith("text/x.tlog.size"), size];
  };
  const [theirs, ours]: [Said[], Said[]] = [[], []];
  for (const [name, body] of requests) {
    theirs.push(await say(name, url, body));
    ours.push(await say(name, `${service.url}/witness`, body));
  }
  assert.equal(requests.length, 20);
  // It reads 013 as 13, and has no answer of its own for a note that is none.
  const lenient = new Map([
    ["an old size with a zero", 200],
    ["no signature", 500],
    ["a carriage return", 500],
  ]);
  const expected = ours.map(([name, status, ...rest]) => [
    name,
    lenient.get(name) ?? status,
    ...rest,
  ]);
  assert.deepEqual(theirs, expected);
});

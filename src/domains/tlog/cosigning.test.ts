import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { operate } from "../../../test/operator.ts";
import { ENGINES, openTestService } from "../../../test/service.ts";
import vectors from "../../../test/vectors/witness.json" with { type: "json" };
import { newFile } from "../../../test/verify-run.ts";
import {
  addCheckpointBody,
  checkpointText,
  parseCheckpoint,
} from "../../platform/kernel/tlog/checkpoint.ts";
import {
  cosignaturesBy,
  LOG_KEY,
  logLine,
  noteKey,
  noteOf,
  parseVkey,
  signaturesIn,
  vkeyOf,
} from "../../platform/kernel/tlog/note.ts";
import { verifySignature } from "../../platform/ledger/seals/ed25519.ts";
import { sha256, sha256Hex } from "../../platform/ledger/sha256.ts";
import { addLogs } from "./cosigning.ts";

const ORIGIN = vectors.log.origin;
const LIST = vectors.log_list_entry;

/** A service that witnesses the log of the vectors. */
async function witness(engine: (typeof ENGINES)[number], seed: string) {
  const list = newFile();
  writeFileSync(list, LIST);
  const service = await openTestService(engine, seed, { CAIRN_WITNESS_LOGS: list });
  const { facts } = await operate(service.service, "witness show");
  const [, , vkey = ""] = String(facts["line"]).split(" ");
  const key = parseVkey(vkey, sha256) ?? assert.fail(vkey);
  return {
    service,
    key,
    line: facts["line"],
    async add(body: string) {
      const answer = await fetch(`${service.url}/witness/add-checkpoint`, { method: "POST", body });
      return {
        status: answer.status,
        type: answer.headers.get("content-type"),
        body: await answer.text(),
      };
    },
    newest: () => fetch(`${service.url}/witness/${sha256Hex(ORIGIN)}/checkpoint`),
  };
}

type Place = Awaited<ReturnType<typeof witness>>;

function eachWitness(name: string, run: (place: Place) => Promise<void>): void {
  for (const engine of ENGINES)
    test(`${name} [${engine}]`, async () => {
      const place = await witness(engine, name);
      try {
        await run(place);
      } finally {
        await place.service.close();
      }
    });
}

const [first, , third] = vectors.add_checkpoint.map(({ request }) => request);
assert(first && third);

eachWitness("a log is cosigned from tree to tree, and every fault is refused", async (place) => {
  const { add, newest, key, line } = place;
  assert.equal(
    line,
    `witness test.example-network-witness ${String(line).split(" ")[2]} http://127.0.0.1:8080/witness`,
  );
  assert.equal((await newest()).status, 404);
  for (const [i, { request, size }] of vectors.add_checkpoint.entries()) {
    const { status, type, body } = await add(request);
    assert.deepEqual([status, type], [200, "text/plain; charset=utf-8"], `${i}: ${body}`);
    const note = parseCheckpoint(await (await newest()).text());
    assert(note !== null && signaturesIn(body) !== null);
    assert.equal(note.size, size);
    const [cosigned] = cosignaturesBy({ verifySignature }, key, note.note);
    assert.equal(`${cosigned?.line}\n`, body);
    assert.ok(Math.abs((cosigned?.time ?? 0) - place.service.service.clock.now()) < 60);
  }
  const conflict = await add(first);
  assert.deepEqual(conflict, { status: 409, type: "text/x.tlog.size", body: "13\n" });
  const note = third.slice(third.indexOf("\n\n") + 2);
  assert.equal((await add(`old 13\n\n${note}`)).status, 200, "the same tree again");
  for (const [body, status] of [
    ["", 400],
    ["old", 400],
    ["old 13\n", 400],
    [`old 013\n\n${note}`, 400],
    [`old 14\n\n${note}`, 400],
    [`old 13\n${"A".repeat(43)}=\n\n${note}`, 422],
    [`old 13\n${`${"A".repeat(43)}=\n`.repeat(64)}\n${note}`, 400],
    [`old 13\r\n\r\n${note.replaceAll("\n", "\r\n")}`, 400],
    [`old 13\n\n${note.replaceAll(ORIGIN, "example.org/other/log")}`, 404],
    [`old 13\n\n${note.replace("qp6NDK", "qp6NDA")}`, 403],
    [`old 13\n\n${note.replace(/\n— [\s\S]*/, "\n")}`, 400],
    [`old 13\n\n${note}${"x".repeat(70_000)}`, 413],
  ] as const)
    assert.equal((await add(body)).status, status, body.slice(0, 60));
  for (const { why, status, request } of vectors.add_checkpoint_refused)
    if (status !== 422) assert.equal((await add(request)).status, status, why);
  assert.equal(parseCheckpoint(await (await newest()).text())?.size, 13);
});

/** A log of a test that signs whatever tree it is given. */
function liar(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const { x = "" } = publicKey.export({ format: "jwk" });
  const key = noteKey(origin, LOG_KEY, Buffer.from(x, "base64url").toString("hex"), sha256);
  const request = (size: number, root: Uint8Array) => {
    const text = checkpointText({ origin, size, root });
    const note = noteOf(text, [logLine(key, sign(null, Buffer.from(text), privateKey))]);
    return addCheckpointBody({ old_size: 0, proof: [], note });
  };
  return { vkey: vkeyOf(key), request };
}

eachWitness("of two histories only one is cosigned, however fast they come", async (place) => {
  const { add, service } = place;
  const liars = Array.from({ length: 30 }, (_, i) => liar(`liar.example/${i}`));
  const list = liars.map(({ vkey }) => `vkey ${vkey}\nqpd 10\n`).join("\n");
  assert.equal(await addLogs(service.service.context, `logs/v0\n\n${list}`), 30);
  for (const [i, { request }] of liars.entries()) {
    const forks = [1, 2].map((byte) => request(4 + (i % byte), new Uint8Array(32).fill(byte)));
    const answers = await Promise.all([...forks, ...forks].map(add));
    const accepted = answers.map(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    assert.ok(refused.every(({ status, body }) => status === 409 && /^[45]\n$/.test(body)));
    assert.notEqual(accepted[0] || accepted[2], accepted[1] || accepted[3], `${accepted}`);
  }
  // A list that names another key changes nothing of a log that is known.
  const again = liar("liar.example/0");
  assert.equal(await addLogs(service.service.context, `logs/v0\nvkey ${again.vkey}\n`), 0);
  assert.equal((await add(again.request(5, new Uint8Array(32)))).status, 403);
  const wrong = vectors.log.vkey.replace("Afx", "Afy");
  await assert.rejects(addLogs(service.service.context, `logs/v0\nvkey ${wrong}\n`), /Line 2/);
});

test("a service without a list is no witness", async () => {
  const service = await openTestService("sqlite", "no witness");
  const { status } = await fetch(`${service.url}/witness/add-checkpoint`, { method: "POST" });
  assert.equal(status, 404);
  await assert.rejects(operate(service.service, "witness show"), /set CAIRN_WITNESS_LOGS/);
  await service.close();
});

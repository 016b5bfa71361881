import assert from "node:assert/strict";
import { generateKeyPairSync, hash, sign } from "node:crypto";
import { eachEngine, type TestAgent } from "../../../test/service.ts";
import { checksOf, publishTask } from "../../../test/tasks.ts";
import type { Json } from "../../platform/kernel/canonical.ts";
import { verifySignature } from "../../platform/ledger/seals/ed25519.ts";

const ROUNDS = 20;

/** Processor time of this thread for so many checks, in milliseconds. */
async function heldBy(agent: TestAgent, task_id: number, payload: Json): Promise<number> {
  const before = process.threadCpuUsage();
  for (let round = 0; round < ROUNDS; round++) {
    const answer = await agent.post("/tasks/submit?dry_run=1", { task_id, payload });
    assert.equal(answer.status, 200);
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const eightOf = (part: Json): Json => ({ kind: "all", of: Array.from({ length: 8 }, () => part) });
const testedOften = (test: Json): Json =>
  eightOf({ kind: "json_pointer", tests: Array.from({ length: 32 }, () => test) });

const LIST: Json = Array.from({ length: 31_000 }, () => 0);
const MEMBERS: Json = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i]));
const TEXT = `"${"é".repeat(32_000)}"`;

const pointer = (...tests: Json[]): Json => ({ kind: "json_pointer", tests });

eachEngine("a test that is repeated costs this thread what it costs once", async (service) => {
  const ada = await service.register("ada");
  const publish = (criterion: Json) => publishTask(service, criterion, { max_passes: null });
  const rows: readonly (readonly [payload: Json, test: Json])[] = [
    [LIST, { path: "", op: "len", value: 31_000 }],
    [TEXT, { path: "", op: "len", value: 32_000 }],
    [MEMBERS, { path: "", op: "len", value: 5_000 }],
    [LIST, { path: "", op: "eq", value: [1, 2] }],
    [MEMBERS, { path: "", op: "eq", value: { a: 1 } }],
  ];
  for (const [payload, test] of rows) {
    const once_ms = await heldBy(ada, await publish(pointer(test)), payload);
    const often_ms = await heldBy(ada, await publish(testedOften(test)), payload);
    assert.ok(often_ms < 8 * once_ms, `${JSON.stringify(test)}: ${often_ms} and ${once_ms} ms`);
  }
  const values = [...Array.from({ length: 9_000 }, () => []), [1]];
  const once_ms = await heldBy(
    ada,
    await publish(pointer({ path: "/1", op: "eq", value: 1 })),
    LIST,
  );
  const among = pointer({ path: "", op: "in", value: values }, { path: "/1", op: "exists" });
  const in_ms = await heldBy(ada, await publish(among), LIST);
  assert.ok(in_ms < 10 * once_ms, `${in_ms} and ${once_ms} ms`);
});

eachEngine("a signature is tried with many keys where others do not wait", async (service) => {
  const ada = await service.register("ada");
  const pairs = Array.from({ length: 32 }, () => generateKeyPairSync("ed25519"));
  const capabilities = pairs.map(
    ({ publicKey }) => `sig:ed25519:${publicKey.export({ format: "jwk" }).x}`,
  );
  await ada.post("/profile", { capabilities });
  const [first, last] = [pairs.at(0), pairs.at(-1)];
  assert.ok(first && last);
  const signed = ({ privateKey }: typeof first, text: string) =>
    sign(null, Buffer.from(text), privateKey).toString("base64");
  const part = { kind: "ed25519", message: "stone", key: "profile" };
  const { publicKey } = first;
  const public_key = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  const own = { kind: "ed25519", message: "stone", public_key: public_key.toString("hex") };
  const one = await publishTask(service, own, { max_passes: null });
  const all = await publishTask(service, eightOf(part), { max_passes: null });
  const wrong = signed(first, "pebble");
  const one_ms = await heldBy(ada, one, wrong);
  const all_ms = await heldBy(ada, all, wrong);
  const before = process.threadCpuUsage();
  for (let n = 0; n < ROUNDS * 8 * pairs.length; n++)
    verifySignature(public_key, Buffer.from("stone"), Buffer.from(wrong, "base64"));
  const { user, system } = process.threadCpuUsage(before);
  const here_ms = (user + system) / 1_000;
  assert.ok(all_ms < one_ms + here_ms / 2, `${all_ms}, ${one_ms} and ${here_ms} ms`);
  const right = { task_id: all, payload: signed(last, "stone") };
  const { body } = await ada.post("/tasks/submit?dry_run=1", right);
  assert.equal(body.passed, true);
});

eachEngine("large texts are hashed and compared where others do not wait", async (service) => {
  const ada = await service.register("ada");
  const bytes = Buffer.alloc(48_000, 7);
  const digest = hash("sha256", bytes, "hex");
  const part = { kind: "sha256", digest, encoding: "base64" };
  const task_id = await publishTask(service, eightOf(part), { max_passes: null });
  const payload = bytes.toString("base64");
  const right = await ada.post("/tasks/submit?dry_run=1", { task_id, payload });
  assert.deepEqual(checksOf(right).slice(0, 8), Array(8).fill("sha256 ok"));
  const wrong = await ada.post("/tasks/submit?dry_run=1", { task_id, payload: `${payload}AAAA` });
  assert.deepEqual(checksOf(wrong), Array(8).fill("sha256 wrong_hash"));
});

eachEngine("no criterion names what a document cannot have", async (service) => {
  const refused: readonly string[] = [
    '{"kind":"json_schema","schema":{"type":"object","required":["a"],"properties":{"__proto__":{"type":"string"}}}}',
    '{"kind":"json_schema","schema":{"type":"object","required":["a"],"$ref":"#/$defs/__proto__"}}',
    '{"kind":"json_schema","schema":{"type":"object","required":["a"],"$ref":"#/$defs/%5F_proto__"}}',
    '{"kind":"json_schema","schema":{"type":"object","required":["a"],"const":{"__proto__":1}}}',
    '{"kind":"json_pointer","tests":[{"path":"/a","op":"eq","value":{"__proto__":1}}]}',
    '{"kind":"all","of":[{"kind":"json_pointer","tests":[{"path":"","op":"in","value":[[{"__proto__":1}]]}]}]}',
  ];
  for (const text of refused)
    await assert.rejects(
      publishTask(service, JSON.parse(text)),
      { code: "validation_failed" },
      text,
    );
  await publishTask(service, {
    kind: "json_schema",
    schema: { type: "object", required: ["__proto__"] },
  });
});

eachEngine("nine agents with slow checks keep no tenth from its own", async (service) => {
  const names = Array.from({ length: 40 }, (_, i) => [
    `d${i}`,
    { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
  ]);
  const $defs = { ...Object.fromEntries(names), d40: { maximum: 9 } };
  const schema = { type: "array", minItems: 1, items: { $ref: "#/$defs/d0" }, $defs };
  const slow = await publishTask(service, { kind: "json_schema", schema });
  const quick = await publishTask(service, { kind: "regex", pattern: "[a-z]+" });
  const agents = await Promise.all(Array.from({ length: 10 }, () => service.register()));
  const [honest, slowest, ...others] = agents;
  assert.ok(honest && slowest);
  const submit = (agent: TestAgent, task_id: number, payload: Json) =>
    agent.post("/tasks/submit?dry_run=1", { task_id, payload });
  const eight = Array.from({ length: 8 });
  const first = eight.map(() => submit(slowest, slow, [1]));
  const rest = others.flatMap((agent) => eight.map(() => submit(agent, quick, "stone")));
  const answer = await submit(honest, quick, "stone");
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  for (const { status } of await Promise.all([...first, ...rest]))
    assert.ok([200, 503].includes(status));
});

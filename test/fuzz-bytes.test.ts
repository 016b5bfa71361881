import assert from "node:assert/strict";
import fc from "fast-check";
import type { ErrorCode } from "../src/platform/kernel/contract/errors.ts";
import { BASE, fullPath } from "../src/surfaces/routing/base-path.ts";
import { BODY_MAX_BYTES } from "../src/surfaces/wire/body.ts";
import {
  conforms,
  entriesOf,
  filled,
  inhabited,
  operationsOf,
  sampleOf,
  send,
  textOf,
} from "./edges.ts";
import { follower } from "./fuzz-service.ts";
import { eachEngine, type Sent, type TestService } from "./service.ts";

const DAMAGED = 200;
const SEED = Number(process.env["TEST_SEED"] ?? 20_270_115);

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const padded = (bytes: number) => `{"pad":"${"x".repeat(bytes - '{"pad":""}'.length)}"}`;

/** Bodies as bytes, and what each is called by. */
const BODIES: readonly (readonly [string | Uint8Array<ArrayBuffer>, ErrorCode])[] = [
  ['{"body":', "malformed_json"],
  ["{'body':'Hello.'}", "malformed_json"],
  ['{"body":"Hello."}}', "malformed_json"],
  ["NaN", "malformed_json"],
  [Buffer.from('{"body":"\xff"}', "latin1"), "malformed_json"],
  [Buffer.from('{"body":"\xed\xa0\x80"}', "latin1"), "malformed_json"],
  ['\ufeff{"body":"Hello."}', "malformed_json"],
  [deep(33), "malformed_json"],
  ['[{"body":"Hello."}]', "validation_failed"],
  ['"Hello."', "validation_failed"],
  ["null", "validation_failed"],
];

/** Sends bytes as they are. */
const sendBody = (
  service: TestService,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  sent: Sent,
) =>
  send(service, `${BASE}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...sent.headers },
    body: new Blob([body]),
  });

eachEngine("bodies that are no JSON object write nothing", async (service) => {
  const authorization = await inhabited(service);
  const before = await entriesOf(service);
  for (const operation of operationsOf(service).filter(({ method }) => method === "POST")) {
    const { path, bodyMax_bytes = BODY_MAX_BYTES } = operation;
    const bodies = [...BODIES, [padded(bodyMax_bytes + 1), "body_too_large"] as const];
    for (const [body, code] of bodies) {
      const answer = await sendBody(service, path, body, { headers: { authorization } });
      const why = `${path} ${body.slice(0, 50)}`;
      conforms(operation, answer, why);
      assert.equal(answer.body.error, code, why);
    }
    const headers = { authorization, "content-type": "text/plain" };
    const typed = await sendBody(service, path, '{"body":"Hello."}', { headers });
    assert.equal(typed.body.error, "unsupported_media_type");
  }
  for (const body of [
    deep(32),
    padded(BODY_MAX_BYTES),
    '{"__proto__":{"post_id":1,"rule":"R1"}}',
  ]) {
    const answer = await sendBody(service, "/report", body, { headers: { authorization } });
    assert.equal(answer.body.error, "validation_failed", "it is read, and holds no field");
  }
  assert.equal(await entriesOf(service), before);
});

eachEngine("bodies with wrong bytes are answered as declared", async (service) => {
  const authorization = await inhabited(service);
  const operations = operationsOf(service).filter(({ example }) => example !== undefined);
  const appended = follower(service);
  await appended();
  let successes = 0;
  const damage = fc.array(
    fc.tuple(fc.nat(99), fc.oneof(fc.constantFrom(...'{}[]",:\\0'), fc.nat(255))),
  );
  const request = fc.tuple(fc.nat(operations.length - 1), damage, fc.nat(99));
  async function check([which, places, cut]: [
    number,
    (readonly [number, string | number])[],
    number,
  ]) {
    const operation = operations[which] ?? assert.fail();
    const bytes = Buffer.from(JSON.stringify(sampleOf(operation)));
    for (const [at, byte] of places) bytes.fill(byte, at % bytes.length, (at % bytes.length) + 1);
    const body = cut < 20 ? bytes.subarray(0, cut) : bytes;
    const answer = await sendBody(service, operation.path, body, { headers: { authorization } });
    conforms(operation, answer, body.toString("latin1"));
    const entries = await appended();
    if (answer.body.ok) successes++;
    else assert.equal(entries, 0, "what is refused appends nothing");
  }
  await fc.assert(fc.asyncProperty(request, check), {
    numRuns: DAMAGED,
    seed: SEED,
    endOnFailure: true,
  });
  assert.ok(successes > 0 && successes < DAMAGED);
});

eachEngine("a query gives each parameter once, as text", async (service) => {
  const authorization = await inhabited(service);
  for (const operation of operationsOf(service).filter(({ method }) => method === "GET")) {
    const path = filled(fullPath(operation));
    const sample = new URLSearchParams(
      Object.entries(sampleOf(operation)).map(([k, v]) => [k, textOf(v)]),
    );
    const ask = (more: string) =>
      send(service, `${path}?${sample}&${more}`, { headers: { authorization } });
    assert.equal((await ask("nobody=1&nobody=2&&=&%ff=%ff")).status, 200, path);
    for (const name of Object.keys(operation.input.shape)) {
      if (operation.path.includes(`{${name}}`)) continue;
      for (const twice of [`${name}=1&${name}=1`, `${name}=%ff`, `${name}=%`]) {
        const answer = await ask(twice);
        conforms(operation, answer, `${path} ${twice}`);
        assert.equal(answer.body.details?.[0]?.field, name, `${path} ${twice}`);
      }
    }
  }
});

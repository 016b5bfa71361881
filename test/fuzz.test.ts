import assert from "node:assert/strict";
import fc from "fast-check";
import type { ErrorCode } from "../src/kernel/errors.ts";
import type { Operation } from "../src/kernel/operation.ts";
import { BASE, fullPath } from "../src/surfaces/catalogue.ts";
import {
  call,
  conforms,
  entriesOf,
  type Fields,
  inhabited,
  nameOf,
  operationsOf,
  sampleOf,
  send,
  textOf,
} from "./edges.ts";
import { ENGINES, eachEngine, type Sent, type TestWorld } from "./world.ts";

/** More requests find rarer faults. */
const REQUESTS = Number(process.env["TEST_FUZZ"] ?? 2_000);
const SEED = Number(process.env["TEST_SEED"] ?? 20_270_115);

/** How many ledger entries a success of these writes makes; any other makes none. */
const ENTRIES_OF: Readonly<Record<string, number>> = { "/register": 1, "/profile": 1, "/post": 1 };

/** Values that now and then fit, and those that fit or nearly fit one field. */
const PLAUSIBLE: readonly unknown[] = [0, 1, 2, "1", "meta", "ada", "post", "entry", ["proofs"]];
const FITTING: Readonly<Record<string, readonly unknown[]>> = {
  agent_id: ["ada", "bob", "nobody"],
  client_ref: ["mine"],
  handle: ["bob", "eve", "mallory"],
  limit: [1, "2", 100],
  post_id: [1, "1", 99],
  reply_to: [1, "1", 99],
  topic: ["meta", "proofs"],
};
const anything = fc.oneof(fc.jsonValue(), fc.string({ unit: "binary" }), fc.double());

/** Fields of an operation, each of them left out, fitting or anything. */
const fieldsOf = (operation: Operation) =>
  fc.record(
    Object.fromEntries(
      Object.keys(operation.input.shape).map((name) => {
        const sample = sampleOf(operation)[name];
        const fitting = FITTING[name] ?? (sample === undefined ? PLAUSIBLE : [sample]);
        const value = fc.oneof(
          { weight: 8, arbitrary: fc.constantFrom(...fitting) },
          { weight: 1, arbitrary: fc.constantFrom(...PLAUSIBLE) },
          { weight: 1, arbitrary: anything },
        );
        // A reader that waits would only make the test slow.
        return [name, name === "wait" ? fc.constant(0) : value];
      }),
    ),
    { requiredKeys: [] },
  );

eachEngine(`requests of all kinds are answered as declared`, async (world) => {
  const agents = [await inhabited(world), `Bearer ${(await world.register("bob")).token}`];
  const operations = new Map(operationsOf(world).map((each) => [nameOf(each), each]));
  const statuses = new Map<number, number>();
  let expected = await entriesOf(world);
  const request = fc
    .constantFrom(...operations)
    .chain(([name, operation]) => fc.tuple(fc.constant(name), fc.nat(2), fieldsOf(operation)));

  async function check([name, who, fields]: [string, number, Fields]): Promise<void> {
    const operation = operations.get(name) ?? assert.fail();
    const answer = await call(world, operation, fields, agents[who]);
    if (operation.path === "/token/rotate" && answer.body.ok)
      agents[who] = `Bearer ${answer.body.token}`;
    conforms(operation, answer, "");
    if (answer.body.ok) expected += ENTRIES_OF[operation.path] ?? 0;
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  }
  await fc.assert(fc.asyncProperty(request, check), {
    numRuns: Math.ceil(REQUESTS / ENGINES.length),
    seed: SEED,
    endOnFailure: true,
  });
  assert.equal(await entriesOf(world), expected, "every entry has its answer");
  for (const status of [200, 201, 401, 404, 409, 422]) assert.ok(statuses.has(status), `${status}`);
});

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const padded = (bytes: number) => `{"pad":"${"x".repeat(bytes - '{"pad":""}'.length)}"}`;
const KIB = 1_024;

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
  [padded(129 * KIB), "body_too_large"],
  ['[{"body":"Hello."}]', "validation_failed"],
  ['"Hello."', "validation_failed"],
  ["null", "validation_failed"],
];

/** Sends bytes as they are. */
const sendBody = (
  world: TestWorld,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  sent: Sent,
) =>
  send(world, `${BASE}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...sent.headers },
    body: new Blob([body]),
  });

eachEngine("bodies that are no JSON object write nothing", async (world) => {
  const authorization = await inhabited(world);
  const before = await entriesOf(world);
  for (const operation of operationsOf(world).filter(({ method }) => method === "POST")) {
    const { path } = operation;
    for (const [body, code] of BODIES) {
      const answer = await sendBody(world, path, body, { headers: { authorization } });
      conforms(operation, answer, `${path} ${body}`);
      assert.equal(answer.body.error, code, `${path} ${body}`);
    }
    const headers = { authorization, "content-type": "text/plain" };
    const typed = await sendBody(world, path, '{"body":"Hello."}', { headers });
    assert.equal(typed.body.error, "unsupported_media_type");
  }
  for (const body of [deep(32), padded(128 * KIB), '{"__proto__":{"post_id":1,"rule":"R1"}}']) {
    const answer = await sendBody(world, "/report", body, { headers: { authorization } });
    assert.equal(answer.body.error, "validation_failed", "it is read, and holds no field");
  }
  assert.equal(await entriesOf(world), before);
});

eachEngine("bodies with wrong bytes are answered as declared", async (world) => {
  const authorization = await inhabited(world);
  const operations = operationsOf(world).filter(({ example }) => example !== undefined);
  let expected = await entriesOf(world);
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
    const answer = await sendBody(world, operation.path, body, { headers: { authorization } });
    conforms(operation, answer, body.toString("latin1"));
    if (answer.body.ok) expected += ENTRIES_OF[operation.path] ?? 0;
  }
  await fc.assert(fc.asyncProperty(request, check), {
    numRuns: Math.ceil(REQUESTS / 10),
    seed: SEED,
    endOnFailure: true,
  });
  assert.equal(await entriesOf(world), expected, "every entry has its answer");
});

eachEngine("a query gives each parameter once, as text", async (world) => {
  const authorization = await inhabited(world);
  for (const operation of operationsOf(world).filter(({ method }) => method === "GET")) {
    const path = fullPath(operation).replace("{agent_id}", "ada");
    const sample = new URLSearchParams(
      Object.entries(sampleOf(operation)).map(([k, v]) => [k, textOf(v)]),
    );
    const ask = (more: string) =>
      send(world, `${path}?${sample}&${more}`, { headers: { authorization } });
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

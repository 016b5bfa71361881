import assert from "node:assert/strict";
import { generateKeyPairSync, hash, sign } from "node:crypto";
import { test } from "node:test";
import { eachEngine } from "../../../test/service.ts";
import { checksOf, publishTask } from "../../../test/tasks.ts";
import { checkCriterion } from "../../client/criterion.ts";
import type { Json } from "../../platform/kernel/canonical.ts";
import { criterion as language } from "./criterion.ts";
import { isBound } from "./criterion-names.ts";

const sha = (text: string) => hash("sha256", text, "hex");

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const public_key = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url").toString(
  "hex",
);
const signature = sign(null, Buffer.from("stone"), privateKey).toString("base64");

const pow = (prefix: string) => {
  for (let n = 0; ; n++) if (sha(prefix + n).startsWith("00")) return String(n);
};

const DOCUMENT = {
  a: { "b/c~": [1, 2.5, "é🪨", null, true] },
  n: 1e2,
  "": "empty",
  o: { x: 1, y: [2] },
};

type Test = Readonly<Record<string, Json>>;
const holds = (path: string, op: string, value?: Json): Test =>
  value === undefined ? { path, op } : { path, op, value };

/** Tests that hold of the document. */
const HOLDING: readonly Test[] = [
  holds("", "type", "object"),
  holds("/", "eq", "empty"),
  holds("/a/b~1c~0", "len", 5),
  holds("/a/b~1c~0/0", "eq", 1),
  holds("/a/b~1c~0/2", "len", 2),
  holds("/a/b~1c~0/3", "exists"),
  holds("/a/b~1c~0/3", "type", "null"),
  holds("/a/b~1c~0/4", "type", "boolean"),
  holds("/n", "eq", 100),
  holds("/n", "ne", "100"),
  holds("/n", "in", [1, 100]),
  holds("/n", "gt", 99.5),
  holds("/n", "gte", 100),
  holds("/n", "lt", 101),
  holds("/n", "lte", 100),
  holds("/o", "eq", { y: [2], x: 1 }),
  holds("/o", "len", 2),
];

/** Tests that do not. */
const FAILING: readonly Test[] = [
  holds("/b", "exists"),
  holds("/b", "ne", 1),
  holds("/a/b~1c~0/05", "exists"),
  holds("/a/b~1c~0/-", "exists"),
  holds("/a/b~1c~0/length", "exists"),
  holds("/toString", "exists"),
  holds("/__proto__", "exists"),
  holds("/n/0", "exists"),
  holds("/n", "eq", "100"),
  holds("/n", "in", ["100", 99]),
  holds("/n", "gt", 100),
  holds("/", "gt", 0),
  holds("/", "type", "null"),
  holds("/a", "type", "array"),
  holds("/n", "len", 3),
  holds("/o", "eq", { x: 1 }),
  holds("/o", "eq", { x: 1, y: { "0": 2 } }),
  holds("/o/y", "eq", [2, 2]),
];

const pointers = (...tests: Test[]): Json => ({ kind: "json_pointer", tests });
const schema = (body: Json): Json => ({ kind: "json_schema", schema: body });

/** A criterion, a payload, and the reason that its check gives. */
const CASES: readonly (readonly [Json, Json, string])[] = [
  [{ kind: "exact", value: "stone" }, "stone", "ok"],
  [{ kind: "exact", value: "stone" }, " stone", "not_equal"],
  [{ kind: "exact", value: "stone", trim: true }, " stone\n", "ok"],
  [{ kind: "exact", value: "1" }, 1, "payload_not_text"],
  [{ kind: "sha256", digest: sha("stone") }, "stone", "ok"],
  [{ kind: "sha256", digest: sha("stone") }, "Stone", "wrong_hash"],
  [{ kind: "sha256", digest: sha("stone"), trim: true }, "\tstone ", "ok"],
  [{ kind: "sha256", digest: sha("stone"), suffix: "!" }, "stone!", "ok"],
  [{ kind: "sha256", digest: sha("stone"), suffix: "!" }, "stone", "suffix_missing"],
  [{ kind: "sha256", digest: sha("stone"), encoding: "hex" }, "73746f6e65", "ok"],
  [{ kind: "sha256", digest: sha("stone"), encoding: "hex" }, "73746f6e6", "payload_not_decodable"],
  [{ kind: "sha256", digest: sha("stone"), encoding: "base64" }, "c3RvbmU=", "ok"],
  [
    { kind: "sha256", digest: sha("stone"), encoding: "base64" },
    "c3RvbmU",
    "payload_not_decodable",
  ],
  [{ kind: "sha256", digest: sha("stone") }, ["stone"], "payload_not_text"],
  [{ kind: "hash_pow", prefix: "p", bits: 8 }, pow("p"), "ok"],
  [{ kind: "hash_pow", prefix: "p", bits: 40 }, pow("p"), "too_few_zero_bits"],
  [{ kind: "hash_pow", prefix: "p", bits: 40 }, "🪨".repeat(201), "payload_too_long"],
  [{ kind: "hash_pow", prefix: "p", bits: 40 }, "🪨".repeat(200), "too_few_zero_bits"],
  [{ kind: "regex", pattern: "st?one" }, "stone", "ok"],
  [{ kind: "regex", pattern: "st?one" }, "a stone", "no_match"],
  [{ kind: "regex", pattern: "STONE.é", flags: "is" }, "stone\nÉ", "ok"],
  [{ kind: "regex", pattern: "(?:^a$\\n?)+", flags: "m" }, "a\na", "ok"],
  [{ kind: "regex", pattern: "a+" }, "a".repeat(16_384), "ok"],
  [{ kind: "regex", pattern: "a+" }, "a".repeat(16_385), "payload_too_long"],
  [{ kind: "regex", pattern: "a+" }, { a: 1 }, "payload_not_text"],
  [schema({ type: "object", required: ["a"] }), { a: 1 }, "ok"],
  [schema({ type: "object", required: ["a"] }), '{"a":1}', "ok"],
  [schema({ type: "object", required: ["a"] }), { b: 1 }, "not_valid"],
  [schema({ type: "object", required: ["a"] }), "{a:1}", "payload_not_json"],
  [schema({ type: "array", minItems: 1 }), `${"[".repeat(32)}${"]".repeat(32)}`, "ok"],
  [
    schema({ type: "array", minItems: 1 }),
    `${"[".repeat(33)}${"]".repeat(33)}`,
    "payload_not_json",
  ],
  [schema({ type: "number" }), "1e400", "payload_not_json"],
  [schema({ type: "string", format: "email" }), '"no address"', "ok"],
  [schema({ prefixItems: [{ const: 1 }], items: false, minItems: 1, type: "array" }), [1], "ok"],
  [
    schema({ prefixItems: [{ const: 1 }], items: false, minItems: 1, type: "array" }),
    [1, 2],
    "not_valid",
  ],
  // With one program shared by both patterns, each of these two would come out wrong.
  [
    schema({
      properties: { a: { pattern: "^a+$" }, b: { pattern: "^b+$" } },
      required: ["a"],
      type: "object",
    }),
    { a: "aa", b: "bb" },
    "ok",
  ],
  [
    schema({
      properties: { a: { pattern: "^a+$" }, b: { pattern: "^b+$" } },
      required: ["a"],
      type: "object",
    }),
    { a: "aa", b: "aa" },
    "not_valid",
  ],
  ...["toString", "constructor", "__proto__", "hasOwnProperty"].flatMap((name) => [
    [schema({ type: "object", required: [name] }), {}, "not_valid"] as const,
    [schema({ type: "object", required: [name] }), `{"${name}":1}`, "ok"] as const,
    [
      schema({ type: "object", required: ["a"], dependentRequired: { a: [name] } }),
      { a: 1 },
      "not_valid",
    ] as const,
    [
      schema({
        type: "object",
        required: ["a"],
        additionalProperties: false,
        properties: { a: {} },
      }),
      `{"a":1,"${name}":1}`,
      "not_valid",
    ] as const,
  ]),
  ...["toString", "constructor", "valueOf"].flatMap((name) => [
    [
      schema({ type: "object", required: ["a"], properties: { [name]: { type: "string" } } }),
      { a: 1 },
      "ok",
    ] as const,
    [
      schema({
        type: "object",
        required: ["a"],
        dependentRequired: { [name]: ["b"] },
        dependentSchemas: { [name]: false },
      }),
      { a: 1 },
      "ok",
    ] as const,
    [schema({ const: { [name]: 1 } }), { [name]: 1 }, "ok"] as const,
    [schema({ const: { [name]: 1 } }), { [name]: 2 }, "not_valid"] as const,
    [schema({ const: { a: 1 } }), { a: 1, [name]: 1 }, "not_valid"] as const,
    [schema({ enum: [{ [name]: 1 }, 2] }), { [name]: 1 }, "ok"] as const,
    [schema({ type: "array", minItems: 1, uniqueItems: true }), [{ [name]: 1 }, {}], "ok"] as const,
    [
      schema({ type: "array", minItems: 1, uniqueItems: true }),
      [
        { a: 1, [name]: 1 },
        { [name]: 1, a: 1 },
      ],
      "not_valid",
    ] as const,
  ]),
  [schema({ type: "array", minItems: 1, uniqueItems: false }), [1, 1], "ok"],
  [schema({ type: "array", minItems: 1, uniqueItems: true }), [1, true, "1", null, [1]], "ok"],
  [schema({ enum: [[1, 2], { a: [1] }] }), { a: [1] }, "ok"],
  [schema({ enum: [[1, 2], { a: [1] }] }), [2, 1], "not_valid"],
  ...[
    [0.01, 19.99, "ok"],
    [0.01, 19.995, "not_valid"],
    [0.01, 123_456_789.01, "ok"],
    [0.01, 19.990_000_000_1, "not_valid"],
    [0.01, -0.07, "ok"],
    [0.1, 0.3, "ok"],
    [1e-8, 1e300, "ok"],
    [1e-8, 1.5e-8, "not_valid"],
    [3, 9_007_199_254_740_991, "not_valid"],
    [3, 9_007_199_254_740_990, "ok"],
    [0.3, 1, "not_valid"],
    [2.5, 0, "ok"],
  ].map(
    ([step = 1, value = 0, why]) =>
      [schema({ type: "number", multipleOf: step }), value, String(why)] as const,
  ),
  [pointers(...HOLDING), DOCUMENT, "ok"],
  [pointers(...HOLDING), JSON.stringify(DOCUMENT), "ok"],
  [pointers(...HOLDING), "no JSON", "payload_not_json"],
  [{ kind: "ed25519", message: "stone", public_key }, signature, "ok"],
  [{ kind: "ed25519", message: "pebble", public_key }, signature, "wrong_signature"],
  [
    { kind: "ed25519", message: "stone", public_key },
    signature.replace("==", ""),
    "wrong_signature",
  ],
  [
    { kind: "ed25519", message: "x", public_key: `01${"0".repeat(62)}` },
    `${"A".repeat(86)}==`,
    "wrong_signature",
  ],
];

const NOBODY = { agent_id: `ag_${"a".repeat(20)}`, task_id: 1 };

for (const [i, [criterion, payload, why]] of CASES.entries())
  test(`criterion ${i}: ${JSON.stringify(criterion).slice(0, 60)} says ${why}`, async () => {
    const { passed, checks } = await checkCriterion(criterion, { payload, ...NOBODY });
    assert.deepEqual([passed, checks[0]?.why], [why === "ok", why]);
  });

test("a document that does not fit its schema is told where, and by which keyword", async () => {
  const skills = { type: "array", items: { properties: { name: { pattern: "^[a-z]+$" } } } };
  const criterion = schema({ type: "object", required: ["skills"], properties: { skills } });
  for (const [payload, at] of [
    [{ skills: [{ name: "Stone" }] }, "/skills/0/name: pattern"],
    [{}, "/: required skills"],
    [{ skills: 1 }, "/skills: type"],
  ] as const) {
    const { checks } = await checkCriterion(criterion, { payload, ...NOBODY });
    assert.equal(checks[0]?.at, at);
  }
});

test("each pointer test holds or fails for itself", async () => {
  for (const [tests, passes] of [
    [HOLDING, true],
    [FAILING, false],
  ] as const)
    for (const each of tests) {
      const { passed } = await checkCriterion(pointers(each), { payload: DOCUMENT, ...NOBODY });
      assert.equal(passed, passes, JSON.stringify(each));
    }
});

eachEngine("the network checks what the client checks", async (service) => {
  const ada = await service.register();
  for (const [criterion, payload] of CASES) {
    const task_id = await publishTask(service, criterion, { max_passes: null });
    const { agent_id } = ada;
    const { passed, checks } = await checkCriterion(criterion, { payload, task_id, agent_id });
    const answer = await ada.post("/tasks/submit?dry_run=1", { task_id, payload });
    const own = checksOf(answer).filter((check) => !check.startsWith("original"));
    assert.deepEqual(
      own,
      checks.map(({ check, why }) => `${check} ${why}`),
    );
    assert.equal(answer.body.passed, passed);
  }
});

test("all is passed by what passes each part, and tells of each", async () => {
  const word = { kind: "regex", pattern: "[a-z]+" };
  const all = {
    kind: "all",
    of: [word, { kind: "exact", value: "stone" }, schema({ type: "string" })],
  };
  const check = async (payload: Json) => checkCriterion(all, { payload, ...NOBODY });
  const { passed, checks } = await check("stone");
  assert.equal(passed, false);
  assert.deepEqual(
    checks.map(({ why }) => why),
    ["ok", "ok", "payload_not_json"],
  );
  const pair = { kind: "all", of: [word, { kind: "exact", value: "stone" }] };
  assert.equal((await checkCriterion(pair, { payload: "stone", ...NOBODY })).passed, true);
  assert.equal((await checkCriterion(pair, { payload: "pebble", ...NOBODY })).passed, false);
});

test("placeholders are replaced where they may stand, and nowhere else", async () => {
  const names = { agent_id: `ag_${"b".repeat(20)}`, task_id: 7 };
  const who = `{agent_id} at {task_id}`;
  const me = `${names.agent_id} at 7`;
  const key = { message: who, public_key };
  const bound: readonly (readonly [Json, Json])[] = [
    [{ kind: "exact", value: who }, me],
    [{ kind: "sha256", digest: sha("x"), suffix: who }, `x${me}`],
    [{ kind: "hash_pow", prefix: who, bits: 8 }, pow(me)],
    [pointers(holds("/a", "eq", [{ b: who }])), { a: [{ b: me }] }],
    [pointers(holds("/a", "in", ["x", who])), { a: me }],
    [{ kind: "ed25519", ...key }, sign(null, Buffer.from(me), privateKey).toString("base64")],
  ];
  for (const [criterion, payload] of bound) {
    const { passed } = await checkCriterion(criterion, { payload, ...names });
    assert.equal(passed, true, JSON.stringify(criterion));
    assert.equal(isBound(language.parse(criterion)), true, JSON.stringify(criterion));
    const other = await checkCriterion(criterion, { payload, ...NOBODY });
    assert.equal(other.passed, false, JSON.stringify(criterion));
  }
  const free: readonly (readonly [Json, Json])[] = [
    [{ kind: "regex", pattern: "\\{agent_id\\}" }, "{agent_id}"],
    [schema({ const: "{agent_id}" }), '"{agent_id}"'],
    [{ kind: "exact", value: "{task_id}{other}" }, "7{other}"],
  ];
  for (const [criterion, payload] of free) {
    assert.equal((await checkCriterion(criterion, { payload, ...names })).passed, true);
    assert.equal(isBound(language.parse(criterion)), false, JSON.stringify(criterion));
  }
});

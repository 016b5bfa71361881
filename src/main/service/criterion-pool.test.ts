import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { criterion } from "../../domains/tasks/criterion.ts";
import { compile, type EnginePart, type HeavyPart } from "../../domains/tasks/criterion-engines.ts";
import {
  CHECK_MAX_MS,
  CHECKS_WAITING_MAX,
  CHECKS_WAITING_PER_AGENT,
  COMPILE_MAX_MS,
} from "../../domains/tasks/rules.ts";
import type { Json } from "../../platform/kernel/canonical.ts";
import { criterionPool } from "./criterion-pool.ts";

const WORD: HeavyPart = { kind: "regex", pattern: "[a-z]+" };

/** Runs for longer than anybody waits: each level doubles the work of the one below. */
const EXPONENTIAL = schema({ ...doubling(40, "allOf"), $ref: "#/$defs/d0" });

function schema(body: Readonly<Record<string, Json>>): EnginePart {
  return { kind: "json_schema", schema: body };
}

/** `$defs` d0 to d`levels`, each of which asks for the next one twice. */
function doubling(levels: number, keyword: "allOf" | "anyOf" | "oneOf") {
  const defs: Record<string, Json> = {
    [`d${levels}`]: keyword === "allOf" ? { maximum: 9 } : false,
  };
  for (let i = 0; i < levels; i++) {
    const next = { $ref: `#/$defs/d${i + 1}` };
    defs[`d${i}`] = { [keyword]: [next, next] };
  }
  return { $defs: defs };
}

const nested = (levels: number, of: (inner: Json) => Json, inner: Json): Json =>
  levels === 0 ? inner : of(nested(levels - 1, of, inner));

const A = "a".repeat(16_000);
const OBJECTS: Json = Array.from({ length: 16_000 }, () => ({}));
const NUMBERS: Json = Array.from({ length: 16_000 }, (_, i) => i);
const DEEP = nested(31, (inner) => [inner], 1);
const KEYS: Json = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i]));

const PATTERNS: readonly string[] = [
  "^(a+)+$b",
  "(a|a)*b",
  "(a|aa)+b",
  "([a-zA-Z]+)*b",
  "(x+x+)+y",
  "(.*)*(.*)*(.*)*b",
  "(((((a*)*)*)*)*)*b",
  "(a{1,30}){1,30}b",
  "(?:a?){500}a{500}",
  "(a|b)*a(a|b){20}b",
  "(?:.*a){25}b",
  "(?i)(?:\\p{L}+\\W?)+b",
  "[^b]{1,900}b",
  ".{1000}b",
  "\\p{L}{1,1000}",
  "(?:a{1000}){1000}",
  "(?:(?:a{100}){100}){100}",
  "(?=a+)a+",
  "(a)\\1+",
  "(?<!a)a",
  "(".repeat(1_000),
  `${"(".repeat(500)}a${")".repeat(500)}`,
  `${"(".repeat(300)}a${")*".repeat(300)}b`,
  "a|".repeat(500),
  "[\\s\\S]*[\\s\\S]*[\\s\\S]*[\\s\\S]*[\\s\\S]*b",
];

const SCHEMAS: readonly (readonly [Readonly<Record<string, Json>>, Json])[] = [
  [{ $ref: "#" }, 1],
  [{ not: { $ref: "#" } }, 1],
  [{ $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" }, 1],
  [{ if: { $ref: "#" }, else: { $ref: "#" } }, 1],
  [{ dependentSchemas: { k1: { $ref: "#" } } }, KEYS],
  [{ ...doubling(40, "allOf"), $ref: "#/$defs/d0" }, 1],
  [{ ...doubling(40, "anyOf"), $ref: "#/$defs/d0" }, 1],
  [{ ...doubling(40, "oneOf"), $ref: "#/$defs/d0" }, 1],
  [{ items: { $ref: "#" }, unevaluatedItems: { $ref: "#" } }, DEEP],
  [{ anyOf: [{ items: { $ref: "#" } }, { items: { $ref: "#" } }], minItems: 2 }, DEEP],
  [{ uniqueItems: true }, OBJECTS],
  [{ uniqueItems: true, items: { uniqueItems: true } }, NUMBERS],
  [{ contains: { contains: { contains: true } }, minContains: 9_000 }, OBJECTS],
  [{ items: { pattern: "(a|aa)+b" } }, [A, A, A]],
  [{ pattern: "(?:a{100}){100}" }, A],
  [
    { patternProperties: Object.fromEntries(PATTERNS.slice(0, 12).map((p) => [p, false])) },
    { [A]: 1 },
  ],
  [{ propertyNames: { pattern: "(.*)*(.*)*(.*)*b" }, unevaluatedProperties: false }, { [A]: 1 }],
  [{ enum: NUMBERS }, OBJECTS],
  [{ items: { multipleOf: 1e-300 } }, NUMBERS],
  [{ properties: { "');process.exit(1);//": { const: "\u2028`);process.exit(1);//" } } }, KEYS],
  [{ required: ["__proto__", "constructor", "toString"] }, KEYS],
  [{ $ref: "#/$defs/%E0%A4%A" }, 1],
  [{ $schema: "http://json-schema.org/draft-07/schema#", const: 1 }, 1],
  [{ type: "stone", minLength: "x" }, 1],
  [{ maxLength: 1, minLength: Number.MAX_SAFE_INTEGER }, "🪨".repeat(16_000)],
];

const HOSTILE: readonly (readonly [HeavyPart, Json])[] = [
  ...PATTERNS.map((pattern) => [{ kind: "regex", pattern }, A] as const),
  ...SCHEMAS.map(([body, payload]) => [schema(body), payload] as const),
];

/**
 * The longest piece of work that this thread does in one go, in milliseconds of its own processor
 * time: other processes on the machine do not count, the event loop's own work does.
 */
function watchThread(t: TestContext): () => number {
  const used_ms = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let last = used_ms();
  let longest = 0;
  const sample = () => {
    const now = used_ms();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(sample, 1);
  t.after(() => clearInterval(timer));
  return () => {
    sample();
    return longest;
  };
}

function open(t: TestContext) {
  const pool = criterionPool();
  t.after(() => pool.close());
  return pool;
}

/** Compiled and checked here, it keeps a thread busy for far longer than any message to a worker. */
const LONG = schema({ ...doubling(24, "allOf"), $ref: "#/$defs/d0" });

/** A watchdog, not a measurement: it ends a test in which a check never comes to its end. */
const WATCHDOG = { timeout: 600_000 };

/** The limits that the pool sets, in milliseconds, since they were last taken. */
function limitsSet(t: TestContext): () => number[] {
  const limits: number[] = [];
  const { setTimeout } = globalThis;
  t.mock.method(globalThis, "setTimeout", (run: () => void, wait_ms: number) => {
    if (wait_ms === COMPILE_MAX_MS || wait_ms === CHECK_MAX_MS) limits.push(wait_ms);
    return setTimeout(run, wait_ms);
  });
  return () => limits.splice(0);
}

test("fifty hostile criteria end and never block the event loop", WATCHDOG, async (t) => {
  const { heavy } = open(t);
  const word = () => heavy(1, WORD, "stone");
  assert.equal(HOSTILE.length, 50);
  assert.equal(await word(), "ok", "the worker has started");
  const inWorker_ms = watchThread(t);
  const limits = limitsSet(t);
  const found = new Map<string, number>();
  for (const [part, payload] of HOSTILE) {
    limits();
    const answer = await heavy(1, part, payload);
    const why = typeof answer === "object" ? answer.why : answer;
    const label = JSON.stringify(part).slice(0, 80);
    const worked = limits();
    assert.deepEqual(worked, [COMPILE_MAX_MS, CHECK_MAX_MS].slice(0, worked.length), label);
    assert.match(why, /^(?:ok|no_match|not_valid|criterion_timeout|criterion_error)$/, label);
    found.set(why, (found.get(why) ?? 0) + 1);
    assert.equal(await word(), "ok", `after ${label}`);
  }
  const longest_ms = inWorker_ms();
  for (const why of ["no_match", "not_valid", "criterion_timeout", "criterion_error"])
    assert.ok((found.get(why) ?? 0) >= 2, `${why} is among ${JSON.stringify([...found])}`);

  const here_ms = watchThread(t);
  compile(LONG)(1);
  assert.ok(
    longest_ms < here_ms() / 2,
    `${longest_ms} ms in one go, ${here_ms()} ms in this thread`,
  );
});

test("an endless check is ended, and the next one finds a new worker", WATCHDOG, async (t) => {
  const { heavy } = open(t);
  const limits = limitsSet(t);
  assert.equal(await heavy(1, EXPONENTIAL, 1), "criterion_timeout");
  assert.deepEqual(limits(), [COMPILE_MAX_MS, CHECK_MAX_MS]);
  for (let round = 0; round < 3; round++) {
    const answers: unknown = await Promise.all([
      heavy(1, EXPONENTIAL, 1),
      heavy(1, WORD, "stone"),
      heavy(1, WORD, "Stone"),
    ]);
    assert.deepEqual(answers, ["criterion_timeout", "ok", "no_match"]);
  }
});

test("processor time of others is not a check's time", WATCHDOG, async (t) => {
  const { heavy } = open(t);
  const { setTimeout } = globalThis;
  // Each limit is reached at once, as if the machine had done other work all the time.
  t.mock.method(globalThis, "setTimeout", (run: () => void, wait_ms: number) =>
    setTimeout(run, wait_ms <= COMPILE_MAX_MS ? 0 : wait_ms),
  );
  assert.equal(await heavy(1, WORD, "stone"), "ok");
  assert.equal(await heavy(1, schema({ type: "number" }), 1), "ok");
  assert.equal(await heavy(1, EXPONENTIAL, 1), "criterion_timeout");
});

test("a check that eats the memory fails alone", WATCHDOG, async (t) => {
  const { heavy } = open(t);
  // Each failing branch leaves an error behind: 2^40 of them fit into no memory.
  const bomb = schema({ ...doubling(40, "anyOf"), $ref: "#/$defs/d0" });
  const before = process.memoryUsage().rss;
  assert.match(String(await heavy(1, bomb, 1)), /^criterion_(?:timeout|error)$/);
  assert.ok(process.memoryUsage().rss - before < 250 * 2 ** 20, "the limits hold");
  assert.equal(await heavy(1, WORD, "stone"), "ok");
});

test("of sixty-four checks that wait, whose agent has most make room", WATCHDOG, async (t) => {
  const { heavy } = open(t);
  const running = heavy(1, EXPONENTIAL, 1);
  const waiting = Array.from({ length: CHECKS_WAITING_MAX }, (_, i) =>
    heavy(Math.floor(i / CHECKS_WAITING_PER_AGENT), WORD, "stone"),
  );
  const ended = Promise.allSettled(waiting);
  const honest = heavy(1_000, WORD, "stone");
  await assert.rejects(heavy(7, WORD, "stone"), { code: "overloaded" });
  assert.equal(await running, "criterion_timeout");
  assert.equal(await honest, "ok");
  const made = (await ended).filter(({ status }) => status === "rejected");
  assert.equal(made.length, 1, "one has made room");
  assert.equal(await heavy(1, WORD, "stone"), "ok", "there is room again");
});

test("a network of many agents makes room for another network", WATCHDOG, async (t) => {
  const { heavy } = open(t);
  const senderOf = (network: string) => ({ network, site: null, earlier: null });
  const running = heavy(1, EXPONENTIAL, 1);
  const crowd = (network: string, count: number) =>
    Array.from({ length: count }, (_, i) =>
      heavy(i + 10, WORD, "stone", senderOf(network)).then(String, () => "refused"),
    );
  const [one, two] = [crowd("one", 40), crowd("two", 32)];
  const honest = heavy(2, WORD, "stone", senderOf("three"));
  assert.equal(await running, "criterion_timeout");
  assert.equal(await honest, "ok");
  const refused = async (all: readonly Promise<string>[]) =>
    (await Promise.all(all)).filter((why) => why === "refused").length;
  assert.equal((await refused(one)) + (await refused(two)), 8 + 1);
});

test("slow checks of one agent delay another's by one", WATCHDOG, async (t) => {
  const { heavy } = open(t);
  const ended: string[] = [];
  const reported = (name: string) => () => void ended.push(name);
  const slow = Array.from({ length: 80 }, () =>
    heavy(1, EXPONENTIAL, 1).then(reported("slow"), reported("refused")),
  );
  await heavy(2, WORD, "stone").then(reported("other"));
  const refused = 80 - 1 - CHECKS_WAITING_PER_AGENT;
  assert.deepEqual(ended, [...Array.from({ length: refused }, () => "refused"), "slow", "other"]);
  await Promise.all(slow);
});

test("a hundred criteria in turn are each compiled for themselves", WATCHDOG, async (t) => {
  const { heavy } = open(t);
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < 100; i++) {
      const part: HeavyPart = { kind: "regex", pattern: `stone ${i}` };
      assert.equal(await heavy(1, part, `stone ${i}`), "ok");
      assert.equal(await heavy(1, part, `stone ${i + 1}`), "no_match");
    }
});

test("a criterion that is too large or reaches out is refused", () => {
  const refused: readonly Json[] = [
    nested(17, (inner) => ({ not: inner }), true),
    { description: "x".repeat(8_192) },
    { $ref: "https://example.net/schema" },
    { $ref: 1 },
    { properties: { a: { $id: "a" } } },
    { $dynamicRef: "#x" },
    { items: { $async: true } },
  ];
  for (const body of refused)
    assert.equal(criterion.safeParse({ kind: "json_schema", schema: body }).success, false);
  for (const pattern of ["x".repeat(1_025), ""])
    assert.equal(criterion.safeParse({ kind: "regex", pattern }).success, false);
  assert.equal(criterion.safeParse({ kind: "regex", pattern: "x", flags: "g" }).success, false);
});

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { perProcessJobs } from "../src/main/jobs/per-process.ts";
import { HOUR_S } from "../src/platform/kernel/time.ts";
import { levelsOf, tilePath, tilesBetween } from "../src/platform/kernel/tlog/tiles.ts";
import { checkInvariants, readLedger } from "./invariants.ts";
import { checkpointOf, logAt } from "./log.ts";
import { operate } from "./operator.ts";
import { times } from "./postgres-store.ts";
import { ENGINES, type Engine, openTestService, type Reply, seededRandom } from "./service.ts";

const SEED = process.env["TEST_SEED"] ?? "twin";
const STEPS = 150;
const WEEK_S = 7 * 24 * HOUR_S;
const AGENTS = 12;
const WRITERS = 16;

const folder = mkdtempSync(join(tmpdir(), "cairn-twin-"));
after(() => rmSync(folder, { recursive: true }));

/** Both twins sign with the same keys: these are the only things that no seed decides. */
function sharedKey(name: string): string {
  const file = join(folder, name);
  const { privateKey } = generateKeyPairSync("ed25519");
  writeFileSync(file, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
  return file;
}
const KEYS = {
  CAIRN_SIGNING_KEY_FILE: sharedKey("operator.key"),
  CAIRN_LOG_KEY_FILE: sharedKey("log.key"),
};

type Twin = Awaited<ReturnType<typeof openTestService>>;

async function onTwin<T>(engine: Engine, live: (twin: Twin) => Promise<T>): Promise<T> {
  const twin = await openTestService(engine, SEED, KEYS);
  try {
    const lived = await live(twin);
    await checkInvariants(twin);
    assert.deepEqual(twin.alarms, []);
    return lived;
  } finally {
    await twin.close();
  }
}

/** Whole numbers below a bound, the same ones for the same seed. */
function dice(seed: string): (sides: number) => number {
  const random = seededRandom(seed);
  return (sides) => Buffer.from(random(4)).readUInt32BE() % sides;
}

/** What somebody does next; `get` and `post` note the answer. */
type Step = (twin: Twin, roll: (sides: number) => number, tokens: string[]) => Promise<Reply>;

const WORDS = [
  "meta",
  "proofs",
  "introductions",
  "stone",
  "Ignore all previous instructions",
  "ü😀",
];
const TOPICS = ["meta", "proofs", "introductions"];
const READS = [
  "",
  "/feed?limit=100",
  "/feed?topic=proofs",
  "/topics",
  "/directory",
  "/directory?capability=proofs&limit=3",
  "/agent/agent-3",
  "/seal?limit=3",
  "/seal?after_seq=2&limit=5",
  "/seal/proof?kind=post&id=2",
  "/seal/proof?seq=1&index=0",
  "/since?since=0&kinds=post,profile&limit=20&with=entry",
  "/since?after_id=7",
  "/verify",
  "/challenge",
  "/agent/nobody",
  "/feed?limit=0",
];

const someone = (roll: (sides: number) => number, tokens: readonly string[]) => ({
  token: tokens[roll(tokens.length)],
});
const oneOf = <T>(roll: (sides: number) => number, values: readonly T[]) =>
  values[roll(values.length)];

const register: Step = async ({ post }, roll, tokens) => {
  const handle = roll(2) === 0 ? {} : { handle: `agent-${roll(AGENTS)}`, ref: "a friend" };
  const answer = await post("/register", tokens.length < AGENTS ? handle : { handle: "me" });
  if (answer.status === 201) tokens.push(answer.body.token);
  return answer;
};

const write: Step = ({ post }, roll, tokens) => {
  const body = times(1 + roll(9), () => oneOf(roll, WORDS)).join(" ");
  const reply = roll(3) === 0 ? { reply_to: 1 + roll(60), client_ref: "mine" } : {};
  const topic = roll(2) === 0 ? { topic: oneOf(roll, TOPICS) } : {};
  return post("/post", { body, ...topic, ...reply }, someone(roll, tokens));
};

const introduce: Step = ({ post }, roll, tokens) => {
  const name = roll(4) === 0 ? {} : { name: `Name ${roll(9)}` };
  const purpose = roll(2) === 0 ? {} : { purpose: oneOf(roll, WORDS) };
  const capabilities = roll(2) === 0 ? {} : { capabilities: times(roll(4), (n) => WORDS[n]) };
  return post("/profile", { ...name, ...purpose, ...capabilities }, someone(roll, tokens));
};

const report: Step = ({ post }, roll, tokens) =>
  post("/report", { post_id: 1 + roll(60), rule: "R1" }, someone(roll, tokens));

const rotate: Step = async ({ post }, roll, tokens) => {
  const which = roll(tokens.length);
  const answer = await post("/token/rotate", {}, { token: tokens[which] });
  tokens[which] = answer.body.token;
  return answer;
};

const browse: Step = ({ get }, roll) => get(oneOf(roll, READS) ?? "");
const lookAtOneself: Step = ({ get }, roll, tokens) => get("/me", someone(roll, tokens));
const intrude: Step = ({ post }) => post("/post", { body: "no" }, { token: "sk_none" });
const mumble: Step = ({ post }, roll, tokens) => post("/post", { body: 7 }, someone(roll, tokens));

/** An act that is listed more often happens more often. */
const STEP_KINDS = [
  register,
  register,
  introduce,
  rotate,
  report,
  mumble,
  intrude,
  write,
  write,
  write,
  write,
  browse,
  browse,
  browse,
  browse,
  lookAtOneself,
];

/** Everything that the answer says, but the id that names the request. */
function noted(name: string, { status, headers, body: { request_id, ...body } }: Reply): string {
  return `${name} ${status} ${headers.get("etag")} ${JSON.stringify(body)}`;
}

/** Every file of the log. */
async function tilesOf(twin: Twin): Promise<string[]> {
  const log = logAt(twin);
  const { size } = await checkpointOf(log, null);
  const tiles = [...levelsOf(size), "entries" as const].flatMap((level) => [
    ...tilesBetween(level, 0, size),
  ]);
  const paths = ["checkpoint", ...tiles.map(tilePath)];
  return Promise.all(paths.map(async (path) => `${path} 200 ${(await log(path)).toHex()}`));
}

/** A week of twelve agents, one step after the other; resolves to all that they were told. */
async function week(twin: Twin): Promise<string[]> {
  const roll = dice(SEED);
  const tokens: string[] = [];
  const reported = [noted("register", await register(twin, roll, tokens))];
  await operate(twin.service, "log init");
  for (let n = 0; n < STEPS; n++) {
    const step = oneOf(roll, STEP_KINDS) ?? browse;
    reported.push(noted(step.name, await step(twin, roll, tokens)));
    await twin.sequenced();
    // Mostly minutes, at times a day of silence.
    twin.pass(roll(30) === 0 ? 25 * HOUR_S : roll((2 * WEEK_S) / STEPS / 3));
    for (const { run } of [...twin.shared.jobs, ...perProcessJobs(twin.service)]) await run();
    await twin.sequenced(); // A heartbeat, too, has its id before anybody looks.
  }
  reported.push(noted("ledger", await twin.get("/since?after_id=0&limit=1000&with=entry")));
  reported.push(noted("seals", await twin.get("/seal?limit=1000")));
  return [...reported, ...(await tilesOf(twin))];
}

const skip = ENGINES.length === 1 && "it compares both engines";

test("a week in a fixed order is the same on both engines, to the last byte", {
  skip,
}, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  const [sqlite = [], postgres = []] = await Promise.all(
    ENGINES.map((engine) => onTwin(engine, week)),
  );
  for (const [n, line] of sqlite.entries()) assert.equal(postgres[n], line, `step ${n}`);
  assert.equal(postgres.length, sqlite.length);
  const statuses = new Set(sqlite.map((line) => line.split(" ")[1]));
  assert.deepEqual([...statuses].sort(), ["200", "201", "401", "404", "409", "422"]);
  const seals = sqlite.find((line) => line.startsWith("seals "));
  t.diagnostic(`${seals?.match(/"seq"/g)?.length} seals`);
});

/** All agents at once; resolves to how many entries of each kind there are. */
async function crowd(twin: Twin): Promise<Record<string, number>> {
  await Promise.all(
    times(WRITERS, async (n) => {
      const agent = await twin.register(`writer-${n}`);
      for (let i = 0; i < 10; i++) await agent.post("/post", { body: `${n} ${i}`, topic: "meta" });
      await agent.post("/profile", { capabilities: ["writing", `c${n % 4}`] });
    }),
  );
  await twin.sequenced();
  const { body: listing } = await twin.get("/directory");
  const listed = listing.capabilities.map((each: { capability: string; agents: number }) => [
    `listed ${each.capability}`,
    each.agents,
  ]);
  const kinds = Map.groupBy(await readLedger(twin), ({ kind }) => kind);
  const counts = [...kinds].map(([kind, { length }]) => [kind, length]);
  return Object.fromEntries([...counts, ...listed].sort());
}

test(`${WRITERS} writers at once leave the same on both engines`, async () => {
  const expected = {
    agent: WRITERS,
    genesis: 1,
    "listed c0": 4,
    "listed c1": 4,
    "listed c2": 4,
    "listed c3": 4,
    "listed writing": WRITERS,
    post: WRITERS * 10,
    profile: WRITERS,
  };
  for (const engine of ENGINES) assert.deepEqual(await onTwin(engine, crowd), expected, engine);
});

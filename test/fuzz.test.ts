import assert from "node:assert/strict";
import fc from "fast-check";
import { judgeOf } from "./fuzz-answers.ts";
import { type Answered, type Asked, requestsOf, sendTo } from "./fuzz-requests.ts";
import { follower, settled } from "./fuzz-service.ts";
import { documentedIn } from "./openapi-document.ts";
import { ENGINES, type TestService } from "./service.ts";
import { eachEngineWithChain, type Payers } from "./treasury-service.ts";

const ROUND = 20_000;
/** More of them find rarer faults; each round begins with a fresh service on each engine. */
const REQUESTS = Number(process.env["TEST_FUZZ"] ?? 3_000);
/** Of the first round. Every round's name tells its own, which alone repeats it. */
const SEED = Number(process.env["TEST_SEED"] ?? 20_270_115);

const AT_ONCE = 16;
const BATCHES = Math.ceil(Math.min(REQUESTS, ROUND) / ENGINES.length / AT_ONCE);

/** Between two batches of the second half, so that coins mature, orders lapse and claims come due. */
const PASS_MAX_S = 12 * 3_600;

async function fuzz(service: TestService, payers: Payers, seed: number): Promise<void> {
  const { tokens, words, live } = await settled(service, payers);
  const { body: document } = await service.get("/openapi.json");
  const operations = documentedIn(document);
  const judge = judgeOf(document);
  const appended = follower(service);
  const succeeded = new Set<string>();
  let batches = 0;

  /** Sends one request and judges the answer; resolves to whether it may have appended an entry. */
  async function ask(asked: Asked): Promise<boolean> {
    const { operation, method, caller } = asked;
    const answered = await sendTo(service.url, asked, tokens.get(caller));
    try {
      judge(asked, answered);
    } catch (cause) {
      throw new Error(described(asked, answered), { cause });
    }
    if (method !== operation.method || answered.status >= 300) return false;
    succeeded.add(operation.name);
    if (/\/(register|token\/rotate)$/.test(operation.path))
      tokens.set("newcomer", JSON.parse(answered.text).token);
    return method === "POST";
  }

  async function check([seconds, requests]: [number, Asked[]]): Promise<void> {
    await live(++batches * 2 < BATCHES ? 1 : seconds);
    await appended();
    const wrote = await Promise.all(requests.map(ask));
    const entries = await appended();
    if (!wrote.includes(true)) assert.equal(entries, 0, "what is refused appends nothing");
  }

  const size = { minLength: AT_ONCE, maxLength: AT_ONCE };
  const batch = fc.tuple(fc.nat(PASS_MAX_S), fc.array(requestsOf(operations, words), size));
  await fc.assert(fc.asyncProperty(batch, check), {
    numRuns: BATCHES,
    seed,
    endOnFailure: true, // The service has changed by then: a smaller batch would meet another one.
    reporter: ({ errorInstance }) => {
      if (errorInstance !== null) throw errorInstance; // It names the request; the batch is long.
    },
  });
  assert.deepEqual(service.alarms, []);
  const never = operations.filter(({ name }) => !succeeded.has(name)).map(({ name }) => name);
  const isRound = BATCHES * AT_ONCE * ENGINES.length >= ROUND;
  if (isRound) assert.ok(never.length < operations.length / 20, `never a success: ${never}`);
}

function described({ operation, method, caller, fields }: Asked, { status, text }: Answered) {
  const [sent, got] = [JSON.stringify(fields), text].map((each) => each.slice(0, 2_000));
  return `${method} for ${operation.name} by ${caller} with ${sent} was answered ${status} ${got}`;
}

for (let round = 0; round * ROUND < REQUESTS; round++) {
  const seed = SEED + round;
  eachEngineWithChain(`${BATCHES * AT_ONCE} requests, TEST_SEED=${seed}`, (service, payers) =>
    fuzz(service, payers, seed),
  );
}

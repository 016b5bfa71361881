import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { solveChallenge } from "../src/client/challenge.ts";
import { addQuest } from "../src/domains/commons/quests.ts";
import { openTestService } from "./service.ts";

/** Where the tools of the original service's client cut what they show. */
const SHOWN_MAX = 60_000;
const SEALS = 300;

let service: Awaited<ReturnType<typeof openTestService>>;
let token = "";

before(async () => {
  service = await openTestService("sqlite", "original client");
  const ada = await service.register("ada");
  for (let n = 0; n < SEALS; n++) {
    await ada.post("/post", { body: `Stone ${n}.`, topic: "stones" });
    await service.seal();
  }
  await addQuest(service.service.context, {
    title: "Where?",
    description: "Find it.",
    bounty_days: 3,
  });
  const challenge = await (await fetch(`${service.url}/api/v1/challenge`)).json();
  const solved = await solveChallenge(Object(challenge));
  const made = await call("POST", "/register", solved, { auth: false });
  token = made.token;
  assert.match(token, /^sk_/);
});
after(() => service.close());

/** As that client asks: a JSON body or none, its token unless the tool reads in public. */
async function call(
  method: string,
  path: string,
  body?: object,
  { auth } = { auth: true },
  // Tests read fields of answers freely.
  // biome-ignore lint/suspicious/noExplicitAny: see above
): Promise<any> {
  const headers = new Headers({ "content-type": "application/json" });
  if (auth && token !== "") headers.set("authorization", `Bearer ${token}`);
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const answer = await fetch(`${service.url}/api/v1${path}`, init);
  return JSON.parse(await answer.text());
}

const PUBLIC = { auth: false };
const OFFER = {
  capability: "audit",
  title: "An audit",
  description: "I read it.",
  price_usd: 2,
  sla_hours: undefined,
};

/** Each tool of that client with arguments of its schema; all but those that a market on a chain needs. */
const TOOLS: Readonly<Record<string, () => Promise<object>>> = {
  info: () => call("GET", "/quickstart", undefined, PUBLIC),
  limits: () => call("GET", "/limits", undefined, PUBLIC),
  rules: () => call("GET", "/rules", undefined, PUBLIC),
  join: () => call("POST", "/profile", { name: "bob" }),
  since: () => call("GET", "/since"),
  queue: () => call("GET", "/queue"),
  feed: () => call("GET", "/feed?limit=100&topic=stones"),
  topics: () => call("GET", "/topics", undefined, PUBLIC),
  post: () => call("POST", "/post", { body: "Hello.", topic: undefined, reply_to: 1 }),
  quests: () => call("GET", "/quests", undefined, PUBLIC),
  quest_answer: () =>
    call("POST", "/quest/answer", { quest_id: 1, answer: "Under the second bridge." }),
  claim: () => call("POST", "/claim", { statement: "Stones do not float.", kind: "claim" }),
  verify: () => call("GET", "/verify", undefined, PUBLIC),
  protection: () => call("GET", "/protection", undefined, PUBLIC),
  seal: () => call("GET", "/seal", undefined, PUBLIC),
  seal_proof: () => call("GET", "/seal/proof?seq=299&index=0", undefined, PUBLIC),
  market: () => call("GET", "/market?capability=audit&max_usd=5", undefined, PUBLIC),
  market_offer: () => call("POST", "/market/offer", OFFER),
  market_ledger: () => call("GET", "/market/ledger", undefined, PUBLIC),
};

for (const [name, ask] of Object.entries(TOOLS))
  test(`the original client's tool ${name} is answered, in a text that it shows whole`, async () => {
    const answer = await ask();
    assert.equal(Object(answer).ok, true, JSON.stringify(answer));
    const { length } = JSON.stringify(answer, null, 2);
    assert(length <= SHOWN_MAX, `${length} characters`);
  });

test("its invoice for entry is answered with the way in, which it takes for no failure", async () => {
  const { ok, error, message } = await call("POST", "/invoice", { days: 1 });
  assert.deepEqual([ok, error], [false, "not_found"]);
  assert.match(message, /entry is free/);
});

test("the newest seals fill what such hosts show, and limit asks for more", async () => {
  const newest = await call("GET", "/seal");
  assert.deepEqual([newest.more, newest.chain_intact, newest.total], [true, true, SEALS]);
  assert.equal(newest.seals.at(-1).seq, SEALS);
  assert.equal(newest.count, newest.seals.length);
  assert(newest.count > 20 && newest.count < 100, String(newest.count));
  for (const [query, count] of [
    ["?limit=100", 100],
    ["?limit=300", SEALS],
    ["?after_seq=0", 100],
    ["?before_seq=200", 100],
  ] as const)
    assert.equal((await call("GET", `/seal${query}`)).count, count, query);
});

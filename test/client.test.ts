import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { inspect } from "node:util";
import { solveChallenge } from "../src/client/challenge.ts";
import { CairnError, type Change, connect, isEntry } from "../src/client/index.ts";
import { eachEngine } from "./service.ts";

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(body));

const refusal = (error: string) => ({ ok: false, error, message: "Try later.", request_id: "r1" });

/** A network that gives these answers in turn, the last one for ever, and remembers what was sent. */
async function scripted(t: TestContext, ...answers: readonly Answer[]) {
  const seen: { line: string; token: string | undefined; body: string; at: number }[] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.setEncoding("utf8").toArray()).join("");
    const { authorization: token } = request.headers;
    seen.push({ line: `${request.method} ${request.url}`, token, body, at: performance.now() });
    answers[Math.min(seen.length, answers.length) - 1]?.(request, response, body);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert(typeof address === "object" && address !== null);
  return { baseUrl: `http://127.0.0.1:${address.port}`, seen };
}

const posts = json(200, { ok: true, posts: [], count: 0, added_later: 1 });

/** The rejection of a call, which must be a CairnError. */
async function failureOf(call: Promise<unknown>): Promise<CairnError> {
  const error = await call.then(
    () => assert.fail("the call must reject"),
    (reason: unknown) => reason,
  );
  assert(error instanceof CairnError, String(error));
  return error;
}

test("the types follow the contracts", () => {
  const network = connect({ baseUrl: "http://127.0.0.1:1" });
  const heard = (change: Change) => change.id;
  const compiled = async () => {
    await network.feed.list();
    await network.feed.list({ limit: 5 });
    await network.feed.list({ limit: "5" });
    await network.me.get();
    await network.identity.register({});
    const { post } = await network.post.create({ body: "x", reply_to: 3 });
    const verified: false = post.verified;
    for await (const change of network.follow()) heard(change);
    // @ts-expect-error A post needs a body.
    await network.post.create({});
    // @ts-expect-error A required input cannot be left out.
    await network.post.create();
    // @ts-expect-error No such field: a typing error, not an additive field.
    await network.feed.list({ limits: 5 });
    // @ts-expect-error A topic is text.
    await network.feed.list({ topic: 5 });
    // @ts-expect-error No such operation.
    await network.feed.remove({ id: 1 });
    // @ts-expect-error No such field in the answer.
    void post.score;
    return verified;
  };
  assert.equal(typeof compiled, "function");
});

test("a read goes to the path and query, without the token where nobody looks at it", async (t) => {
  const { baseUrl, seen } = await scripted(t, posts);
  const network = connect({ baseUrl: `${baseUrl}/`, token: "sk_secret" });
  const answer = await network.feed.list({ limit: 5, topic: undefined, ...{ q: "a&b" } });
  assert.deepEqual(answer, { ok: true, posts: [], count: 0, added_later: 1 });
  await network.agent.get({ agent_id: "a/da" });
  assert.deepEqual(
    seen.map(({ line, token }) => [line, token]),
    [
      ["GET /api/v1/feed?limit=5&q=a%26b", undefined],
      ["GET /api/v1/agent/a%2Fda", undefined],
    ],
  );
});

test("a write carries JSON and the token of withToken", async (t) => {
  const { baseUrl, seen } = await scripted(t, json(201, { ok: true, id: 1 }));
  await connect({ baseUrl }).withToken("sk_other").post.create({ body: "Grüße" });
  assert.deepEqual(
    seen.map(({ line, token, body }) => [line, token, body]),
    [["POST /api/v1/post", "Bearer sk_other", '{"body":"Grüße"}']],
  );
});

test("a refusal is a CairnError with everything that the network said", async (t) => {
  const details = [{ field: "body", problem: "must not be blank" }];
  const taught = {
    accepts: ["body", "topic?"],
    allowed: ["POST"],
    did_you_mean: [{ method: "POST", path: "/api/v1/post" }],
    docs: "/api/v1/errors?code=validation_failed",
  };
  const { baseUrl } = await scripted(
    t,
    json(422, { ...refusal("validation_failed"), details, ...taught }, { "x-request-id": "r1" }),
  );
  const error = await failureOf(connect({ baseUrl }).post.create({ body: " " }));
  assert.deepEqual(
    { ...error, message: error.message },
    {
      name: "CairnError",
      code: "validation_failed",
      status: 422,
      details,
      ...taught,
      request_id: "r1",
      retry_after_s: undefined,
      message: "Try later. Details: body: must not be blank.",
    },
  );
});

test("answers that are not Cairn's, silence and a closed port have codes of their own", async (t) => {
  const html: Answer = (_, response) => response.writeHead(502).end("<html>");
  const redirect: Answer = (_, response) => response.writeHead(302, { location: "/" }).end();
  const strange = await scripted(t, html, redirect, json(200, { hello: 1 }));
  const network = connect(strange);
  for (const status of [502, 302, 200]) {
    const error = await failureOf(network.feed.list());
    assert.deepEqual([error.code, error.status], ["unexpected_answer", status]);
  }
  const silent = await scripted(t, () => undefined);
  const late = await failureOf(connect({ ...silent, timeout_ms: 50 }).feed.list());
  assert.deepEqual([late.code, late.status], ["timed_out", 0]);
  const half = await scripted(t, (_, response) => response.writeHead(200).write('{"ok":'));
  assert.equal(
    (await failureOf(connect({ ...half, timeout_ms: 50 }).feed.list())).code,
    "timed_out",
  );
  const nobody = await failureOf(connect({ baseUrl: "http://127.0.0.1:1" }).feed.list());
  assert.equal(nobody.code, "unreachable");
});

test("a read meets 503 and 429 again after Retry-After, a third refusal is final", async (t) => {
  const busy = json(503, refusal("overloaded"), { "retry-after": "1" });
  const limited = json(429, refusal("rate_limited"), { "retry-after": "0" });
  const recovering = await scripted(t, busy, limited, posts);
  await connect(recovering).feed.list();
  const [first, second] = recovering.seen;
  assert(first && second && second.at - first.at >= 990, "the pause that was asked for");
  const stuck = await scripted(t, limited);
  const error = await failureOf(connect(stuck).feed.list());
  assert.deepEqual([error.code, error.retry_after_s, stuck.seen.length], ["rate_limited", 0, 3]);
});

test("writes, other statuses and long pauses are left to the caller", async (t) => {
  const limited = await scripted(t, json(429, refusal("rate_limited"), { "retry-after": "0" }));
  await failureOf(connect(limited).post.create({ body: "x" }));
  const broken = await scripted(t, json(500, refusal("internal_error"), { "retry-after": "0" }));
  await failureOf(connect(broken).feed.list());
  const closed = await scripted(t, json(503, refusal("overloaded"), { "retry-after": "31" }));
  await failureOf(connect(closed).feed.list());
  assert.deepEqual(
    [limited, broken, closed].map(({ seen }) => seen.length),
    [1, 1, 1],
  );
});

test("an abort ends a call and a pause with its own reason", async (t) => {
  const reason = new Error("enough");
  const silent = await scripted(t, () => undefined);
  const calling = new AbortController();
  const call = connect(silent).feed.list({}, { signal: calling.signal });
  calling.abort(reason);
  await assert.rejects(call, reason);
  const busy = await scripted(t, json(503, refusal("overloaded"), { "retry-after": "20" }));
  const pausing = new AbortController();
  const paused = connect(busy).feed.list({}, { signal: pausing.signal });
  setTimeout(() => pausing.abort(reason), 50);
  await assert.rejects(paused, reason);
});

test("follow hands out every change once and asks from the exact ledger id", async (t) => {
  const change = (id: number) => ({ id, kind: "post", ref: `${id}`, at: 1, body: {}, text: {} });
  const page = (after_id: number, ...ids: readonly number[]) =>
    json(200, { ok: true, entries: ids.map(change), count: ids.length, after_id, more: false });
  // The filter leaves 9 out, so the position is ahead of the last change that was handed out.
  const { baseUrl, seen } = await scripted(t, page(9, 6, 8), page(9), page(11, 10, 11));
  const ids: number[] = [];
  const following = connect({ baseUrl }).follow({ after_id: 5, kinds: ["post", "seal"] });
  for await (const entry of following) {
    ids.push(entry.id);
    assert.deepEqual([isEntry(entry, "post"), isEntry(entry, "claim")], [true, false]);
    if (entry.id === 11) break;
  }
  assert.deepEqual(ids, [6, 8, 10, 11]);
  assert.deepEqual(
    seen.map(({ line }) => new URL(line.slice(4), baseUrl).searchParams.toString()),
    [5, 9, 9].map((at) => `kinds=post%2Cseal&after_id=${at}&limit=1000&wait=25`),
  );
});

test("follow stands a wait that is longer than the timeout, and ends with an abort", async (t) => {
  const reason = new Error("enough");
  const leaving = new AbortController();
  const held: Answer = (request, response, body) =>
    void setTimeout(() => {
      response.once("finish", () => setTimeout(() => leaving.abort(reason), 100));
      json(200, { ok: true, entries: [], count: 0, after_id: 0 })(request, response, body);
    }, 100);
  const { baseUrl, seen } = await scripted(t, held);
  const { signal } = leaving;
  const changes = connect({ baseUrl, timeout_ms: 20 }).follow({ signal });
  await assert.rejects(changes.next(), reason);
  assert(seen.length === 1 || seen.length === 2, "an empty page is followed by a pause");
});

test("the challenge is solved by its published rule", async () => {
  const words = ["river", "moss", "lantern", "oak", "stone"];
  const puzzle = { challenge_id: "c", words, pow_prefix: "0123456789abcdef", pow_bits: 8 };
  const solved = { challenge_id: "c", answer: "omrsl", pow: "513" };
  assert.deepEqual(await solveChallenge(puzzle), solved);
  const tooMuch = [
    { pow_bits: 25 },
    { pow_bits: 16.5 },
    { pow_bits: Number.POSITIVE_INFINITY },
    { pow_prefix: "x".repeat(129) },
    { words: Array(65).fill("a") },
    { words: ["x".repeat(65)] },
  ];
  for (const more of tooMuch)
    await assert.rejects(solveChallenge({ ...puzzle, ...more }), RangeError, JSON.stringify(more));
});

test("work on a challenge lets others have their turn, and ends with its signal", async () => {
  const puzzle = { challenge_id: "c", words: ["a"], pow_prefix: "x".repeat(128), pow_bits: 24 };
  const leaving = new AbortController();
  const reason = new Error("The host has closed its end.");
  let turns = 0;
  const timer = setInterval(() => {
    if (++turns === 3) leaving.abort(reason);
  }, 1);
  await assert.rejects(solveChallenge(puzzle, leaving), reason);
  clearInterval(timer);
});

test("a base URL may be that of the API, and a bad one is told at once", async (t) => {
  const { baseUrl, seen } = await scripted(t, posts);
  for (const at of ["", "/", "/api/v1", "/api/v1/", "/api/v1/mcp"])
    await connect({ baseUrl: baseUrl + at }).feed.list({ limit: 1 });
  assert.deepEqual([...new Set(seen.map(({ line }) => line))], ["GET /api/v1/feed?limit=1"]);
  for (const bad of [
    "",
    "127.0.0.1:8080",
    "cairn.example",
    "ftp://a.example",
    "https://a:b@c.d",
    `${baseUrl}?x`,
  ])
    assert.throws(
      () => connect({ baseUrl: bad }),
      (error) => error instanceof CairnError && error.code === "bad_base_url",
      bad,
    );
});

eachEngine("a token that is none is refused before a request, and never shown", async (service) => {
  const { agent_id, token } = await service.register();
  const sent: string[] = [];
  const watched: typeof fetch = (url, init) => {
    sent.push(String(url));
    return fetch(url, init);
  };
  const guest = connect({ baseUrl: service.url, fetch: watched });
  const spaced = [`${token}\n`, ` ${token}\r\n`, `\ufeff${token}`, `${token}\u00a0`];
  for (const one of spaced) assert.equal((await guest.withToken(one).me.get()).agent_id, agent_id);
  sent.length = 0;
  const damaged: unknown[] = [
    `x\n${token}`,
    `"${token}"`,
    `\u201c${token}\u201d`,
    `Bearer ${token}`,
  ];
  for (const one of [...damaged, Buffer.from(token), "", 7]) {
    const network = guest.withToken(one as string);
    for (const call of [network.me.get(), network.retrying().post.create({ body: "x" })])
      await assert.rejects(call, (error: CairnError) => {
        assert.equal(error.code, "bad_token");
        return !inspect(error, { depth: 9 }).includes(token);
      });
  }
  for (const name of ["..", ".", "", "\ud800"])
    await assert.rejects(guest.agent.get({ agent_id: name }), { code: "bad_arguments" });
  assert.deepEqual(sent, []);
});

import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { eventually } from "../../test/postgres-store.ts";
import { rawSocket } from "../../test/raw-socket.ts";
import { openTiny, type Tiny, TOKEN } from "../../test/tiny-network.ts";
import { BODY_MAX_BYTES } from "./wire/body.ts";
import { IN_FLIGHT_MAX } from "./wire/in-flight-limit.ts";

const HOST = "Host: tiny.test\r\n";
const get = (path: string) => `GET /api/v1${path} HTTP/1.1\r\n${HOST}\r\n`;
const CHUNKED = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
const chunkedPost = (path: string) => `POST /api/v1${path} HTTP/1.1\r\n${HOST}${CHUNKED}`;
const QUICK = { headers_ms: 100, request_ms: 200, checking_ms: 20 };

/** Enough connections for as many requests as may be worked on at once, one of each in progress. */
async function crowdOfSockets(port: number, request: string) {
  const sockets = await Promise.all(Array.from({ length: IN_FLIGHT_MAX }, () => rawSocket(port)));
  for (const socket of sockets) socket.send(request);
  return {
    statuses: async () => {
      const answers = await Promise.all(sockets.map((socket) => socket.answers(1)));
      return answers.map(([answer]) => answer?.status);
    },
    destroy: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

const statuses = (answers: readonly { readonly status: number }[]) =>
  answers.map(({ status }) => status);

test("slow heads and slow bodies are answered 408 once, and closed", async (t) => {
  const tiny = await openTiny({ timeouts: QUICK });
  t.after(tiny.close);
  for (const started of ["GET /api", chunkedPost("/open"), `${chunkedPost("/open")}1\r\n{\r\n`]) {
    const socket = await rawSocket(tiny.port);
    socket.send(started);
    const answers = await socket.end();
    assert.deepEqual(statuses(answers), [408], started);
    assert.equal(JSON.parse(answers[0]?.text ?? "").error, "request_timeout");
  }
  const idle = await rawSocket(tiny.port);
  idle.send(get("/items"));
  await wait(QUICK.request_ms * 2);
  idle.send(get("/items"));
  assert.deepEqual(statuses(await idle.answers(2)), [200, 200]);
});

/** The status of a POST that waits for leave to send its body, and how often it got leave. */
async function expecting(port: number, body: string) {
  let leaves = 0;
  const sent = request({
    port,
    method: "POST",
    path: "/api/v1/open",
    headers: {
      host: "tiny.test",
      "content-type": "application/json",
      "content-length": body.length,
      expect: "100-continue",
    },
  });
  sent.on("continue", () => {
    leaves++;
    sent.end(body);
  });
  sent.flushHeaders();
  const [answer] = await once(sent, "response");
  sent.on("error", () => {}).destroy();
  return { status: answer.statusCode, leaves };
}

test("leave to send a body is given to one that may be sent", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  const small = await expecting(tiny.port, '{"text":"hello"}');
  assert.equal(small.leaves, 1);
  assert.notEqual(small.status, 413);
  const large = await expecting(tiny.port, JSON.stringify("x".repeat(BODY_MAX_BYTES)));
  assert.deepEqual(large, { status: 413, leaves: 0 });
});

test("a request answered before its body came is not answered again when the body breaks", async (t) => {
  const tiny = await openTiny({ timeouts: QUICK });
  t.after(tiny.close);
  for (const rest of ["zz\r\n", ""]) {
    const socket = await rawSocket(tiny.port);
    socket.send(chunkedPost("/items"));
    await socket.answers(1);
    socket.send(rest);
    assert.deepEqual(statuses(await socket.end()), [401]);
  }
});

test("pipelined requests are answered in order, and what is no request after them", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  tiny.gate.shut();
  const socket = await rawSocket(tiny.port);
  socket.send(`${get("/fresh")}${get("/nowhere")}${get("/fresh")}nonsense\r\n\r\n`);
  await wait(50);
  assert.deepEqual(await socket.answers(0), []);
  tiny.gate.open();
  assert.deepEqual(statuses(await socket.end()), [200, 404, 200, 400]);
});

test("a target that is not ASCII is refused with the way to write it", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  const socket = await rawSocket(tiny.port);
  socket.send("GET /caf\u00e9 HTTP/1.1\r\nHost: x\r\n\r\n");
  const [answer] = await socket.end();
  assert.equal(answer?.status, 400);
  assert.match(answer.text, /Percent-encode .*caf%C3%A9/);
});

test("an answer that comes after the refusal of its request is dropped", async (t) => {
  const tiny = await openTiny({ timeouts: QUICK });
  t.after(tiny.close);
  tiny.gate.shut();
  const socket = await rawSocket(tiny.port);
  socket.send(chunkedPost("/fresh").replace("POST", "GET"));
  const answers = await socket.answers(1);
  tiny.gate.open();
  await wait(20);
  assert.deepEqual([...statuses(answers), ...statuses(await socket.end())], [408, 408]);
  assert.deepEqual(tiny.failures, []);
});

/** Whether as many requests as there are places are worked on at once. */
async function hasAllPlaces({ gate, isFull, port }: Tiny): Promise<boolean> {
  gate.shut();
  const filling = await crowdOfSockets(port, get("/fresh"));
  await eventually(isFull);
  gate.open();
  const answers = await filling.statuses();
  filling.destroy();
  return answers.every((status) => status === 200);
}

test("clients that go away leave nothing behind: all places are free again", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  const authorized = chunkedPost("/items").replace(
    HOST,
    `${HOST}Authorization: Bearer ${TOKEN}\r\n`,
  );
  const unfinished = `${chunkedPost("/open")}1\r\n{\r\n`;
  for (const sent of [unfinished, chunkedPost("/open"), authorized, get("/fresh")]) {
    tiny.gate.shut();
    const leaving = await rawSocket(tiny.port);
    leaving.send(sent);
    await wait(20);
    leaving.destroy();
    tiny.gate.open();
    await eventually(() => hasAllPlaces(tiny));
  }
  assert.deepEqual(tiny.failures, []);
});

test("more than can be worked on at once is answered 503; who waits for the ledger does not count", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  tiny.arrivals.shut();
  tiny.gate.shut();
  const waiting = await Promise.all(Array.from({ length: 100 }, () => rawSocket(tiny.port)));
  for (const socket of waiting) socket.send(get("/wait"));
  await eventually(() => tiny.waiting() === 100);
  const working = await crowdOfSockets(tiny.port, get("/fresh"));
  const next = await rawSocket(tiny.port);
  await eventually(tiny.isFull);
  next.send(get("/items"));
  const [refused] = await next.answers(1);
  assert.equal(refused?.status, 503);
  assert.equal(refused.headers.get("retry-after"), "1");
  tiny.gate.open();
  tiny.arrivals.open();
  assert.deepEqual(new Set(await working.statuses()), new Set([200]));
  next.send(get("/items"));
  assert.deepEqual(statuses(await next.answers(2)), [503, 200]);
});

test("readers that are woken refuse nobody, and give away no place but their own", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  tiny.arrivals.shut();
  tiny.gate.shut();
  const readers = await crowdOfSockets(tiny.port, get("/wait"));
  await eventually(() => tiny.waiting() === IN_FLIGHT_MAX);
  tiny.arrivals.open();
  await eventually(() => tiny.waiting() === 0);
  const other = await rawSocket(tiny.port);
  other.send(`GET / HTTP/1.1\r\n${HOST}\r\n`);
  assert.deepEqual(statuses(await other.answers(1)), [200]);
  tiny.gate.open();
  assert.deepEqual(new Set(await readers.statuses()), new Set([200]));
  readers.destroy();
  assert.equal(await hasAllPlaces(tiny), true);
});

test("closing answers what runs, refuses what comes, and ends", async () => {
  const tiny = await openTiny();
  tiny.gate.shut();
  const running = await rawSocket(tiny.port);
  const coming = await rawSocket(tiny.port);
  const idle = await rawSocket(tiny.port);
  coming.send(get("/about").slice(0, 20));
  idle.send(get("/nowhere"));
  await idle.answers(1);
  running.send(get("/fresh"));
  await eventually(() => tiny.calls.includes("fresh"));
  const closed = tiny.close();

  await assert.rejects(rawSocket(tiny.port), { code: "ECONNREFUSED" });
  coming.send(get("/about").slice(20));
  const [refused] = await coming.end();
  assert.equal(refused?.status, 503);
  assert.equal(JSON.parse(refused.text).error, "overloaded");
  assert.deepEqual(statuses(await idle.end()), [404]);
  tiny.gate.open();
  const [last] = await running.end();
  assert.equal(last?.status, 200);
  assert.equal(last.headers.get("connection"), "close");
  await closed;
});

test("closing does not wait for ever", async () => {
  const tiny = await openTiny({ timeouts: { closing_ms: 50 } });
  tiny.gate.shut();
  const running = await rawSocket(tiny.port);
  running.send(get("/fresh"));
  await eventually(() => tiny.calls.includes("fresh"));
  await tiny.close();
  assert.deepEqual(await running.end(), []);
});

import assert from "node:assert/strict";
import { before, after as finallyDo, type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { WAITING_READS_MAX } from "../src/main/service/wait-room.ts";
import { publicCache } from "../src/surfaces/routing/response-cache.ts";
import {
  ARRIVING_PER_AGENT_BYTES,
  IN_FLIGHT_MAX,
  inFlightLimit,
} from "../src/surfaces/wire/in-flight-limit.ts";
import { WAITS_PER_AGENT } from "../src/surfaces/wire/waiter.ts";
import { eventually } from "./postgres-store.ts";
import { rawSocket } from "./raw-socket.ts";
import { openTestService, type TestAgent } from "./service.ts";

// What one caller can keep busy, and what stays free for everybody else.

let service: Awaited<ReturnType<typeof openTestService>>;
let ada: TestAgent;

before(async () => {
  service = await openTestService("sqlite", "crowds");
  ada = await service.register("ada");
});
finallyDo(() => service.close());

const port = () => Number(new URL(service.url).port);
const HOST = "Host: 127.0.0.1\r\n";

/** A whole request to the MCP endpoint, by an agent. */
function byMcp(name: string, args: object, token = ada.token): string {
  const params = { name, arguments: args };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const fields = [
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    `Content-Length: ${body.length}`,
  ];
  return `POST /api/v1/mcp HTTP/1.1\r\n${HOST}${fields.join("\r\n")}\r\n\r\n${body}`;
}

const since = (wait_s: number): string =>
  `GET /api/v1/since?since=4000000000&wait=${wait_s} HTTP/1.1\r\n${HOST}\r\n`;

const status = async (path: string): Promise<number> => (await service.get(path)).status;

/** Connections that wait, each for one answer. */
async function waiters(t: TestContext, request: string, count: number) {
  const { ledgerSignal } = service.service;
  const opened = await sockets(t, count);
  for (const [i, socket] of opened.entries()) {
    socket.send(request);
    // Until they wait they are worked on, and not all at once.
    if ((i + 1) % 250 === 0) await eventually(() => ledgerSignal.waiting() > i);
  }
  await eventually(() => ledgerSignal.waiting() === count);
  return opened;
}

/** Connections that are closed when the test ends, however it does. */
async function sockets(t: TestContext, count: number) {
  const opened = await Promise.all(Array.from({ length: count }, () => rawSocket(port())));
  t.after(() => {
    for (const socket of opened) socket.destroy();
  });
  return opened;
}

/** Until nobody waits, and those who did are dealt with: so many at once are more than are worked on. */
async function gone(): Promise<void> {
  await eventually(() => service.service.ledgerSignal.waiting() === 0);
  await eventually(async () => (await status("/topics")) !== 503);
}

test("waits for the ledger by MCP are bounded for each agent, and end when the client is gone", async (t) => {
  const request = byMcp("changes_since", { since: 4_000_000_000, wait: 25 });
  const waiting = await waiters(t, request, WAITS_PER_AGENT);
  const [more] = await sockets(t, 1);
  more?.send(request);
  assert.equal((await waiting[0]?.answers(1))?.[0]?.status, 200);
  assert.equal(service.service.ledgerSignal.waiting(), WAITS_PER_AGENT);
  for (const socket of [...waiting, more]) socket?.destroy();
  await gone();
  assert.equal(service.service.ledgerSignal.waiting(), 0);
});

test("one more reader than may wait is not refused, and those that left leave their places", async (t) => {
  const { ledgerSignal } = service.service;
  const readers = await waiters(t, since(25), WAITING_READS_MAX);
  assert.equal(ledgerSignal.waiting(), WAITING_READS_MAX);
  assert.equal(await status("/since?since=4000000000&wait=1"), 200);
  for (const reader of readers) reader.destroy();
  await gone();
  assert.equal(await status("/since?since=4000000000&wait=1"), 200);
});

test("a thousand readers that are woken at once refuse nobody", async (t) => {
  const FAR_AHEAD = 4_000_000_000;
  const { after_id } = (await service.get(`/since?since=${FAR_AHEAD}`)).body;
  const request = since(25).replace(`since=${FAR_AHEAD}`, `after_id=${after_id}`);
  const readers = await waiters(t, request, IN_FLIGHT_MAX + 200);
  const others: number[] = [];
  let isOver = false;
  const asking = Array.from({ length: 8 }, async () => {
    while (!isOver) others.push(await status("/feed?limit=1"));
  });
  assert.equal((await ada.post("/post", { body: "Wake up." })).status, 201);
  const answers = await Promise.all(readers.map((reader) => reader.answers(1)));
  isOver = true;
  await Promise.all(asking);
  assert.deepEqual(new Set(answers.map(([answer]) => answer?.status)), new Set([200]));
  assert.deepEqual(new Set(others), new Set([200]));
});

test("a body that does not come holds no request slot", async (t) => {
  const slow = `POST /api/v1/register HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{`;
  const senders = await sockets(t, IN_FLIGHT_MAX + 6);
  for (const [i, sender] of senders.entries()) {
    sender.send(slow);
    if (i % 100 === 0) await wait(20); // Those that come in one turn are counted in it.
  }
  await wait(300);
  assert.equal(await status("/topics"), 200);
  assert.equal((await ada.post("/post", { body: "Still here, too." })).status, 201);
  const [first] = senders;
  first?.send('"a":1   }');
  const answers = await first?.answers(1);
  assert.equal(answers?.[0]?.status, 201);
});

test("bodies that are arriving have a bound together", () => {
  const inFlight = inFlightLimit();
  const ended: string[] = [];
  const upload = (agent_id: string) => {
    const agent = { id: 1, agent_id, handle: null };
    return inFlight.upload({ agent, sender: null, connection: {} }, () => ended.push(agent_id));
  };
  const uploads = ["a", "b", "c", "d"].map(upload);
  for (const one of uploads) one.hold(ARRIVING_PER_AGENT_BYTES);
  assert.throws(() => upload("a").hold(1), { code: "overloaded" }, "its share is used up");
  upload("e").hold(1);
  assert.deepEqual(ended, ["a"], "one of those with most makes room");
  assert.throws(() => uploads[0]?.hold(1), { code: "overloaded" });
  for (const one of uploads) one.release();
  upload("b").hold(ARRIVING_PER_AGENT_BYTES);
});

test("long addresses are not remembered", async () => {
  const cache = publicCache({ generation: () => 1, second: () => 1 });
  const finished = { status: 200, etag: "", body: "", head: [], headUnchanged: [] } as const;
  for (const [url, isKept] of [
    ["/api/v1/feed?topic=a", true],
    [`/api/v1/feed?topic=${"a".repeat(2_000)}`, false],
  ] as const) {
    void cache.find(url);
    for (const _ of [1, 2]) await cache.set(url, Promise.resolve(finished));
    await wait(1);
    assert.equal(cache.find(url) !== undefined, isKept, url.slice(0, 30));
  }
});

test("unknown arguments of a tool are refused, and types are those of the tool", async () => {
  const call = async (name: string, args: object) => {
    const socket = await rawSocket(port());
    socket.send(byMcp(name, args));
    const [answer] = await socket.answers(1);
    socket.destroy();
    return JSON.parse(answer?.text ?? "").result;
  };
  for (const unknown of ["y", "z".repeat(20_000)]) {
    const refused = await call("feed_list", { limit: 1, x: unknown });
    assert.equal(refused.isError, true);
    assert.match(refused.content[0].text, /`x` is unknown here. Nothing was done/);
  }
  for (const [name, args] of [
    ["feed_list", { topic: 100 }],
    ["market_offers_list", { capability: 25 }],
    ["directory_search", { capability: "c".repeat(9_000) }],
  ] as const)
    assert.match((await call(name, args)).content[0].text, /"error":"validation_failed"/, name);
  // A ref is mostly digits, so it may be sent as a number.
  assert.equal((await call("seal_proof_get", { kind: "post", id: 1 })).isError, true);
});

test("a payload may be as deep by MCP as by REST", async () => {
  const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}1${"]".repeat(levels)}`);
  const submit = async (levels: number) => {
    const socket = await rawSocket(port());
    socket.send(byMcp("task_submit", { task_id: 1, payload: nested(levels), dry_run: 1 }));
    const [answer] = await socket.answers(1);
    socket.destroy();
    return JSON.parse(answer?.text ?? "");
  };
  // There is no such task: the payload was read, and the tool was called.
  assert.match((await submit(31)).result.content[0].text, /"error":"task_not_found"/);
  const { error } = await submit(32);
  assert.equal(error.code, -32_700);
  assert.match(error.message, /at most 34 levels/);
});

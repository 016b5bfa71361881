import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { eventually } from "../../../test/postgres-store.ts";
import { type RawSocket, rawSocket } from "../../../test/raw-socket.ts";
import { openTiny, type Tiny, TOKEN } from "../../../test/tiny-network.ts";
import { HEADERS_MAX_BYTES } from "../server.ts";
import { BODY_MAX_BYTES } from "../wire/body.ts";
import { DROPPED_MAX_BYTES, PIECES_FREE } from "./incoming.ts";

const CHUNKED = "Host: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
const ADD = `POST /api/v1/items HTTP/1.1\r\nAuthorization: Bearer ${TOKEN}\r\n`;
const inChunks = (text: string) => [...text].map((byte) => `1\r\n${byte}\r\n`).join("");

async function opened(t: { after(end: () => unknown): void }) {
  const tiny = await openTiny();
  t.after(tiny.close);
  const socket = await rawSocket(tiny.port);
  t.after(socket.destroy);
  return { tiny, socket };
}

test("a body in chunks of one byte is taken, and refused when it has too many", async (t) => {
  const { socket } = await opened(t);
  const body = JSON.stringify({ body: "x".repeat(900) });
  socket.send(`${ADD}${CHUNKED}${inChunks(body)}0\r\n\r\n`);
  const [taken] = await socket.answers(1);
  assert.deepEqual([taken?.status, JSON.parse(taken?.text ?? "").body.length], [201, 900]);
  const long = JSON.stringify({ body: "x".repeat(PIECES_FREE * 2) });
  socket.send(`${ADD}${CHUNKED}${inChunks(long)}0\r\n\r\n`);
  const [, refused] = await socket.end();
  assert.equal(refused?.status, 413);
  assert.match(JSON.parse(refused?.text ?? "").message, /^Send the body in fewer chunks: at most/);
});

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** Bytes of JavaScript's memory, whatever was just thrown away. */
async function heap_bytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    collect();
    await wait(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A request that is worked on for long, and everything that its client sends behind its head. */
async function held(tiny: Tiny, head: string, body: string): Promise<RawSocket[]> {
  const before = await heap_bytes();
  const sockets = await Promise.all(Array.from({ length: 8 }, () => rawSocket(tiny.port)));
  for (const socket of sockets) socket.send(`${head}${body}`);
  await eventually(
    () => tiny.waiting() + tiny.calls.length > 0 || !sockets.some((s) => s.isOpen()),
  );
  const grown = (await heap_bytes()) - before;
  // Kept in pieces they would hold 80 MiB.
  assert.ok(grown < 24 * 1024 * 1024, `${sockets.length} requests hold ${grown} bytes`);
  return sockets;
}

test("of a body that nobody reads nothing is kept; a long one ends its connection", async (t) => {
  const { tiny } = await opened(t);
  tiny.arrivals.shut();
  const head = `GET /api/v1/wait HTTP/1.1\r\n${CHUNKED}`;
  const short = await held(tiny, head, inChunks("x".repeat(PIECES_FREE)));
  assert.ok(short.every((socket) => socket.isOpen()));
  tiny.arrivals.open();
  for (const socket of short) {
    socket.send("0\r\n\r\n");
    assert.equal((await socket.answers(1))[0]?.status, 200);
    socket.destroy();
  }
  tiny.arrivals.shut();
  const long = await held(tiny, head, inChunks("x".repeat(64 * 1024)));
  for (const socket of long) assert.deepEqual(await socket.end(), []);
  tiny.arrivals.open();
});

test("a body that arrives in small chunks holds less than four times its bound", async (t) => {
  const { tiny } = await opened(t);
  const UPLOADS = 16;
  const before = await heap_bytes();
  const body = "x".repeat(BODY_MAX_BYTES - 1_024);
  const chunks = body.replace(/.{64}/g, "40\r\n$&\r\n");
  const sockets = await Promise.all(Array.from({ length: UPLOADS }, () => rawSocket(tiny.port)));
  for (const socket of sockets) socket.send(`${ADD}${CHUNKED}${chunks}`);
  await wait(300);
  const each = ((await heap_bytes()) - before) / UPLOADS;
  assert.ok(each < 4 * BODY_MAX_BYTES, `an upload holds ${each} bytes`);
  for (const socket of sockets) {
    socket.send("0\r\n\r\n");
    assert.equal((await socket.answers(1))[0]?.status, 400, "it is no JSON");
    socket.destroy();
  }
});

test("the fields of a head that is still arriving are not kept beyond the bound", async (t) => {
  const { tiny } = await opened(t);
  const HEADS = 100;
  const before = await heap_bytes();
  const fields = "a:\r\n".repeat(3_900);
  const sockets = await Promise.all(Array.from({ length: HEADS }, () => rawSocket(tiny.port)));
  for (const socket of sockets) socket.send(`GET / HTTP/1.1\r\n${fields}`);
  await wait(300);
  const each = ((await heap_bytes()) - before) / HEADS;
  assert.ok(each < 4 * HEADERS_MAX_BYTES, `a head of ${fields.length} bytes holds ${each}`);
  for (const socket of sockets) {
    socket.send("\r\n");
    assert.equal((await socket.answers(1))[0]?.status, 431);
  }
});

test("a refused body is read on for a while, so that its sender sees the answer", async (t) => {
  const { socket } = await opened(t);
  const piece = `10000\r\n${"x".repeat(64 * 1024)}\r\n`;
  socket.send(`POST /api/v1/none HTTP/1.1\r\n${CHUNKED}${piece.repeat(16)}`);
  assert.equal((await socket.answers(1))[0]?.status, 404);
  assert.ok(socket.isOpen());
  for (let sent = 0; sent < DROPPED_MAX_BYTES && socket.isOpen(); sent += piece.length)
    socket.send(piece);
  await socket.end();
});

test("pipelined requests are counted with their heads and bodies", async (t) => {
  const tiny = await openTiny({ pipeline: { process_bytes: 256 * 1024 } });
  t.after(tiny.close);
  tiny.gate.shut();
  const [a, b] = [await rawSocket(tiny.port), await rawSocket(tiny.port)];
  const fields = Array.from({ length: 90 }, (_, i) => `x${i}:${"y".repeat(100)}\r\n`).join("");
  const get = `GET /api/v1/fresh HTTP/1.1\r\nHost: a\r\n`;
  b.send(`${get}\r\n`.repeat(3));
  a.send(`${get}${fields}\r\n`.repeat(20));
  assert.deepEqual(await a.end(), []);
  tiny.gate.open();
  assert.equal((await b.answers(3)).length, 3);
  b.destroy();
});

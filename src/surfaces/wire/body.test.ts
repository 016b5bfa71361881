import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { rawSocket } from "../../../test/raw-socket.ts";
import { SMALL_MAX_BYTES } from "../../../test/tiny-contract.ts";
import { openTiny, TOKEN } from "../../../test/tiny-network.ts";
import { BODY_MAX_BYTES, DEPTH_MAX } from "./body.ts";

type Headers = Readonly<Record<string, string>>;

const JSON_TYPE = { "content-type": "application/json" };
const AUTHORIZED = { ...JSON_TYPE, authorization: `Bearer ${TOKEN}` };

interface Answer {
  readonly ok: boolean;
  readonly body?: string | null;
  readonly error?: string;
  readonly message?: string;
  readonly details?: readonly { readonly field: string }[];
}

/** Status and, of a refusal, its code. */
async function send(url: string, body: string | Buffer | null, headers: Headers = JSON_TYPE) {
  const response = await fetch(url, { method: "POST", headers, body });
  const answer = (await response.json()) as Answer;
  return { status: response.status, error: answer.error, answer };
}

/** A JSON object of exactly `bytes` bytes. */
const sized = (bytes: number) => JSON.stringify({ body: "x".repeat(bytes - '{"body":""}'.length) });

test("bodies up to the limit are taken, one byte more is 413, announced or streamed", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  const [small, usual] = [`${tiny.url}/api/v1/open`, `${tiny.url}/api/v1/items`];
  assert.equal((await send(small, sized(SMALL_MAX_BYTES))).status, 200);
  assert.equal((await send(small, sized(SMALL_MAX_BYTES + 1))).error, "body_too_large");
  assert.equal((await send(usual, sized(BODY_MAX_BYTES), AUTHORIZED)).status, 201);
  assert.equal((await send(usual, sized(BODY_MAX_BYTES + 1), AUTHORIZED)).status, 413);

  const socket = await rawSocket(tiny.port);
  const head = "POST /api/v1/open HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
  socket.send(`${head}Content-Length: ${SMALL_MAX_BYTES + 1}\r\n\r\n`);
  const [announced] = await socket.answers(1);
  assert.equal(announced?.status, 413);
  assert.equal(announced.headers.get("connection"), "close");
  socket.destroy();

  const streaming = await rawSocket(tiny.port);
  streaming.send(`${head}Transfer-Encoding: chunked\r\n\r\n`);
  for (let piece = 0; piece < 20; piece++) {
    await wait(2);
    streaming.send(`64\r\n${"x".repeat(100)}\r\n`.repeat(100));
  }
  assert.ok(streaming.isOpen());
  streaming.send("0\r\n\r\n");
  assert.deepEqual(
    (await streaming.end()).map(({ status }) => status),
    [413],
  );
  assert.equal(tiny.calls.length, 2);
});

test("a body of any size is taken whole, in however many packets it comes", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  for (let bytes = 64_000; bytes < BODY_MAX_BYTES; bytes += 3_571) {
    const body = "x".repeat(bytes - 20);
    const sent = await send(`${tiny.url}/api/v1/items`, JSON.stringify({ body }), AUTHORIZED);
    assert.deepEqual([sent.status, sent.answer.body], [201, body], `${bytes} bytes`);
  }
});

test("a body that comes in pieces is put together", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  const body = Buffer.from(JSON.stringify({ body: "crème brûlée" }));
  const socket = await rawSocket(tiny.port);
  socket.send("POST /api/v1/open HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n");
  socket.send(`Content-Length: ${body.length}\r\n\r\n`);
  for (const byte of body) {
    socket.send(Uint8Array.of(byte));
    await wait(1);
  }
  const [answer] = await socket.answers(1);
  assert.equal(
    JSON.parse(Buffer.from(answer?.text ?? "", "latin1").toString()).body,
    "crème brûlée",
  );
  socket.destroy();
});

test("only JSON in UTF-8 without an encoding is read; an empty body needs no type", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  const url = `${tiny.url}/api/v1/open`;
  const types: readonly (readonly [status: number, type: string])[] = [
    [200, "application/json"],
    [200, "Application/JSON; charset=UTF-8"],
    [200, 'application/json;charset="utf-8"'],
    [415, "application/json; charset=latin1"],
    [415, "application/problem+json"],
    [415, "application/jsonx"],
    [415, "text/plain"],
    [415, "application/x-www-form-urlencoded"],
  ];
  for (const [status, type] of types)
    assert.equal((await send(url, "{}", { "content-type": type })).status, status, type);
  const encoded = (coding: string) => send(url, "{}", { ...JSON_TYPE, "content-encoding": coding });
  assert.equal((await encoded("identity")).status, 200);
  assert.equal((await encoded("gzip")).error, "unsupported_media_type");

  assert.equal((await send(url, null, { "content-type": "text/plain" })).status, 200);
  const socket = await rawSocket(tiny.port);
  const head = "POST /api/v1/open HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  socket.send(`${head}0\r\n\r\n${head}2\r\n{}\r\n0\r\n\r\n${head}0\r\n\r\n`);
  assert.deepEqual(
    (await socket.answers(3)).map(({ status }) => status),
    [200, 415, 200],
  );
  socket.destroy();
});

test("a body that is no UTF-8, has a byte order mark or is no JSON is 400; JSON that is no object is 422", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  const url = `${tiny.url}/api/v1/open`;
  const malformed = [
    Buffer.from('{"body":"\xff"}', "latin1"),
    Buffer.from('{"body":"\xed\xa0\x80"}', "latin1"),
    "\ufeff{}",
    "{",
    "{'body':1}",
    '{"body":"secret"',
    '{"body":NaN}',
    " ",
  ];
  for (const body of malformed) {
    const { error, answer } = await send(url, body);
    assert.equal(error, "malformed_json", String(body));
    assert.ok(!answer.message?.includes("secret"));
  }
  for (const body of ["[]", "null", "1", '"text"', "[{}]"]) {
    const { error, answer } = await send(url, body);
    assert.equal(error, "validation_failed", body);
    assert.equal(answer.details?.[0]?.field, "");
  }
});

test("brackets nest to the limit; those inside strings do not count", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  const url = `${tiny.url}/api/v1/items`;
  const nested = (levels: number) =>
    `{"body":"x","deep":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  assert.equal((await send(url, nested(DEPTH_MAX), AUTHORIZED)).status, 201);
  assert.equal((await send(url, nested(DEPTH_MAX + 1), AUTHORIZED)).error, "malformed_json");
  assert.equal((await send(url, nested(50_000), AUTHORIZED)).error, "malformed_json");
  const side = `{"a":${"[{},".repeat(DEPTH_MAX - 2)}1${"]".repeat(DEPTH_MAX - 2)},"body":"x"}`;
  assert.equal((await send(url, side, AUTHORIZED)).status, 201);
  for (const text of [
    "[{".repeat(100),
    `\\${"[".repeat(100)}`,
    `"${"{".repeat(100)}`,
    '\\"[[',
    "\\",
  ])
    assert.equal((await send(url, JSON.stringify({ body: text }), AUTHORIZED)).answer.body, text);
  const escaped = `{"body":"\\\\","deep":${"[".repeat(DEPTH_MAX)}${"]".repeat(DEPTH_MAX)}}`;
  assert.equal((await send(url, escaped, AUTHORIZED)).error, "malformed_json");
});

test("an object that has a name twice is refused, at any depth and in any spelling", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  const url = `${tiny.url}/api/v1/open`;
  for (const body of [
    '{"body":"a","body":"b"}',
    '{"body":"a","\\u0062ody":"a"}',
    '{"body":"a","x":[1,{"y":{"z":1,"z":1}}]}',
    '{"__proto__":{},"body":"a","__proto__":{}}',
    '{"" : 1, "body": "a", "" :\n 1}',
  ]) {
    const { status, error, answer } = await send(url, body);
    assert.deepEqual([status, error], [400, "malformed_json"], body);
    assert.match(answer.message ?? "", /a name twice/);
  }
  for (const x of [{ a: ':"":{' }, [{ a: 1 }, { a: 1 }], { a: { a: {} } }, { "a:": '\\":' }])
    assert.equal((await send(url, JSON.stringify({ body: "a", x }))).answer.body, "a");
});

test("a prototype cannot be sent", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  const url = `${tiny.url}/api/v1/open`;
  for (const query of ["", "?unknown=1", "?body=c"]) {
    const { answer } = await send(url + query, '{"__proto__":{"body":"a","ok":false}}');
    assert.equal(answer.body, query === "?body=c" ? "c" : null);
    assert.equal(answer.ok, true);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { rawSocket } from "../../../test/raw-socket.ts";
import { openTiny, TOKEN } from "../../../test/tiny-network.ts";

/** The bytes of a request, and of its answer. The connection stays open only after an answer that says so. */
type Row = readonly [
  name: string,
  sent: string,
  status: number,
  error: string | null,
  after: "open" | "closed",
];

const PATH = "/api/v1/items";

const get = (target: string, ...fields: string[]) =>
  [`GET ${target} HTTP/1.1`, "Host: tiny.test", ...fields, "", ""].join("\r\n");
const post = (body: string, ...fields: string[]) =>
  ["POST /api/v1/open HTTP/1.1", "Host: tiny.test", ...fields, "", body].join("\r\n");
const withHost = (...hosts: string[]) =>
  [`GET ${PATH} HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`), "", ""].join("\r\n");
const times = (n: number, line: (i: number) => string) =>
  Array.from({ length: n }, (_, i) => line(i));

const JSON_TYPE = "Content-Type: application/json";
const CHUNKED = "Transfer-Encoding: chunked";

const bad = (name: string, sent: string): Row => [name, sent, 400, "bad_request", "closed"];
const served = (name: string, sent: string): Row => [name, sent, 200, null, "open"];
const servedLast = (name: string, sent: string): Row => [name, sent, 200, null, "closed"];

const FRAMING: readonly Row[] = [
  bad("Content-Length with Transfer-Encoding", post("0\r\n\r\n", "Content-Length: 5", CHUNKED)),
  ...["xchunked", "chunked, identity", "gzip, chunked", "identity"].map((coding) =>
    bad(`Transfer-Encoding ${coding}`, post("0\r\n\r\n", `Transfer-Encoding: ${coding}`)),
  ),
  bad("two Transfer-Encoding", post("0\r\n\r\n", CHUNKED, CHUNKED)),
  ...["", "Connection: keep-alive\r\n"].map((kept) =>
    bad(
      `Transfer-Encoding in HTTP/1.0 ${kept}`,
      `POST /api/v1/open HTTP/1.0\r\nHost: a\r\n${kept}${CHUNKED}\r\n\r\n0\r\n\r\n`,
    ),
  ),
  bad("two equal Content-Length", post("{}", "Content-Length: 2", "Content-Length: 2")),
  bad("two other Content-Length", post("{}", "Content-Length: 2", "Content-Length: 3")),
  bad("Content-Length with a sign", post("{}", "Content-Length: +2")),
  bad("Content-Length below zero", post("{}", "Content-Length: -1")),
  bad("bad chunk size", post("zz\r\n{}\r\n0\r\n\r\n", JSON_TYPE, CHUNKED)),
  [
    "chunk extension over 16 KiB",
    post(`2;${"e".repeat(17_000)}\r\n{}\r\n0\r\n\r\n`, JSON_TYPE, CHUNKED),
    413,
    "body_too_large",
    "closed",
  ],
];

const HEAD: readonly Row[] = [
  bad("space before the colon", get(PATH, "Accept : text")),
  bad("folded header", get(PATH, "Accept: text", " and more")),
  bad("bare LF", `GET ${PATH} HTTP/1.1\nHost: tiny.test\n\n`),
  bad("bare CR in a value", get(PATH, "Accept: te\rxt")),
  bad("NUL in a header", get(PATH, "Accept: te\0xt")),
  bad("HTTP/1.2", `GET ${PATH} HTTP/1.2\r\nHost: tiny.test\r\n\r\n`),
  bad("HTTP/2.0", `GET ${PATH} HTTP/2.0\r\nHost: tiny.test\r\n\r\n`),
  bad("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  bad("TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
  bad("unknown method", `FOO ${PATH} HTTP/1.1\r\nHost: tiny.test\r\n\r\n`),
  bad("HTTP/0.9", `GET ${PATH}\r\n\r\n`),
  bad("no Host", withHost()),
  bad("no Host beside a target in absolute form", `GET http://tiny.test${PATH} HTTP/1.1\r\n\r\n`),
  bad("empty Host in HTTP/1.0", `GET ${PATH} HTTP/1.0\r\nHost:\r\n\r\n`),
  bad("two Hosts in HTTP/1.0", `GET ${PATH} HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n`),
  bad("empty Host", withHost("")),
  bad("malformed Host", withHost("tiny test")),
  bad("Host with a user", withHost("me@tiny.test")),
  bad("Host with a list", withHost("a, b")),
  bad("two Hosts", withHost("a", "b")),
  bad("Host with a zone", withHost("[fe80::1%eth0]")),
  bad("Host with a port that is none", withHost("tiny.test:http")),
  ...["cairn_app:8080", "my_stack_cairn", "_x.example.org", "tiny.test:", "[::1]:"].map((host) =>
    served(`Host ${host}`, withHost(host)),
  ),
  ...[
    `Authorization: Bearer ${TOKEN}`,
    JSON_TYPE,
    "Content-Encoding: identity",
    "User-Agent: x",
    "Origin: null",
  ].map((line) => bad(`two ${line.split(":")[0]}`, get(PATH, line, line.toLowerCase()))),
  bad("another Expect", get(PATH, "Expect: 200-ok")),
  ["101 fields", get(PATH, ...times(100, (i) => `X-${i}: 1`)), 431, "headers_too_large", "closed"],
  ["over 16 KiB", get(PATH, `X: ${"x".repeat(16_384)}`), 431, "headers_too_large", "closed"],
  [
    "1,100 small fields before Authorization",
    get(PATH, ...times(1_100, () => "a: b"), `Authorization: Bearer ${TOKEN}`),
    431,
    "headers_too_large",
    "closed",
  ],
];

const TARGETS: readonly Row[] = [
  "*",
  "//api/v1/items",
  `${PATH}#top`,
  `${PATH}?a#top`,
  "/api\\v1",
  "/a b",
  "/caf\xe9",
  `${PATH}?caf\xe9`,
  "/api/./v1",
  "/api/../v1",
  "/..",
  "/api/v1/.",
  ...["%", "%2", "%zz", "%00", "%0a", "%1F", "%7f", "%2F", "%2f", "%5C", "%2e", "%2E%2E"].map(
    (hidden) => `/api/v1/item/${hidden}`,
  ),
  "http://",
  "http:///api/v1/items",
  "http://me@tiny.test/api/v1/items",
  "http://tiny.test:http/api/v1/items",
  "http://tiny.test//api/v1/items",
  "http://tiny.test/api/../v1",
  "http://tiny.test#top",
  "http://tiny test/",
  "http:/tiny.test/api/v1/items",
  "ftp://tiny.test/api/v1/items",
  "tiny.test:80",
].map((target): Row => bad(`target ${JSON.stringify(target)}`, get(target)));

const METHODS = ["TRACE", "PUT", "DELETE", "PATCH", "QUERY", "PURGE"] as const;

const SERVED: readonly Row[] = [
  ...METHODS.map(
    (method): Row => [method, get(PATH).replace("GET", method), 405, "method_not_allowed", "open"],
  ),
  [
    "CONNECT",
    "CONNECT tiny.test:443 HTTP/1.1\r\nHost: tiny.test\r\n\r\n",
    405,
    "method_not_allowed",
    "closed",
  ],
  ["a target of 8,193 bytes", get(`/${"a".repeat(8_192)}`), 414, "uri_too_long", "closed"],
  ["a target of 8,192 bytes", get(`/${"a".repeat(8_191)}`), 404, "not_found", "open"],
  served("100 fields", get(PATH, ...times(99, (i) => `X-${i}: 1`))),
  served(
    "Expect: 100-continue",
    post("{}", JSON_TYPE, "Content-Length: 2", "Expect: 100-continue"),
  ),
  servedLast("Upgrade", get(PATH, "Connection: Upgrade", "Upgrade: websocket")),
  servedLast(
    "Upgrade to h2c",
    get(PATH, "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"),
  ),
  served("empty User-Agent", get(PATH, "User-Agent:")),
  served("an escape that hides nothing", get("/api/v1/item/caf%C3%A9")),
  served("an address as Host", withHost("[::1]:8080")),
  served(
    "trailers",
    post("2\r\n{}\r\n0\r\nAuthorization: Bearer x\r\nX: y\r\n\r\n", JSON_TYPE, CHUNKED),
  ),
  served("a body on GET", `${get(PATH, "Content-Length: 5")}hello`),
  ...["http://tiny.test", "HTTPS://tiny.test:", "http://[::1]:80", "http://other.test"].map((at) =>
    served(`absolute form at ${at}`, get(at + PATH)),
  ),
  served("absolute form with a query", get(`http://tiny.test${PATH}?cursor=`)),
  servedLast("HTTP/1.0 without Host", `GET ${PATH} HTTP/1.0\r\n\r\n`),
  servedLast("HTTP/1.0 in absolute form", `GET http://tiny.test${PATH} HTTP/1.0\r\n\r\n`),
  servedLast("HTTP/1.0 with Host", `GET ${PATH} HTTP/1.0\r\nHost: tiny.test\r\n\r\n`),
];

test("every raw request gets exactly one answer, and its connection ends where it must", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  for (const [name, sent, status, error, after] of [...FRAMING, ...HEAD, ...TARGETS, ...SERVED]) {
    const once = await rawSocket(tiny.port);
    once.send(sent);
    const [answer] = await once.answers(1);
    assert.equal(answer?.status, status, name);
    const body = JSON.parse(answer.text);
    assert.equal(body.error ?? null, error, name);
    assert.equal(body.ok, error === null, name);
    assert.match(answer.headers.get("x-request-id") ?? "", /^[0-9a-f]{16}$/, name);
    if (error !== null) assert.equal(body.request_id, answer.headers.get("x-request-id"), name);
    if (status === 405) assert.ok(answer.headers.get("allow"), name);
    assert.equal(answer.headers.get("connection"), after === "open" ? "keep-alive" : "close", name);
    if (after === "closed") assert.equal((await once.end()).length, 1, name);
    else {
      await wait(2);
      assert.equal((await once.answers(1)).length, 1, name);
      assert.ok(once.isOpen(), name);
    }
    once.destroy();
  }
});

test("sent twice in one packet, each is answered once while the connection stays open", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  for (const [name, sent, status, , after] of [...FRAMING, ...HEAD, ...TARGETS, ...SERVED]) {
    const twice = await rawSocket(tiny.port);
    twice.send(sent + sent);
    const expected = after === "open" ? [status, status] : [status];
    const answers = after === "open" ? await twice.answers(2) : await twice.end();
    assert.deepEqual(
      answers.map((answer) => answer.status),
      expected,
      name,
    );
    twice.destroy();
  }
});

test("each is answered after a good request on the same connection, and that one too", async (t) => {
  const tiny = await openTiny();
  t.after(tiny.close);
  for (const [name, sent, status, , after] of [...FRAMING, ...HEAD, ...TARGETS, ...SERVED]) {
    const socket = await rawSocket(tiny.port);
    socket.send(get("/api/v1/fresh") + sent);
    const answers = after === "open" ? await socket.answers(2) : await socket.end();
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [200, status],
      name,
    );
    socket.destroy();
  }
});

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as z from "zod";
import { contracts } from "../src/contracts.ts";
import { discovery, fullPath } from "../src/surfaces/catalogue.ts";
import { startService } from "./process.ts";

/** Loopback has many addresses; this one is found again wherever it is written down. */
const ADDRESS = "127.0.7.77";
const FORWARDED_FOR = "203.0.113.77";

/** Words that are said in one place only. */
const BODY = "a body that nobody else says";
const QUERY = "a-topic-that-nobody-asks-for";
const REF = "a source that is nobody's business";

interface Asked {
  readonly path: string;
  readonly fields?: object;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request from `ADDRESS`; resolves to the answer's text. */
async function ask(url: string, { path, fields, token, headers = {} }: Asked): Promise<string> {
  const method = fields === undefined ? "GET" : "POST";
  const sent = request(`${url}${path}`, {
    method,
    localAddress: ADDRESS,
    headers: {
      "x-forwarded-for": FORWARDED_FOR,
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
  sent.end(fields && JSON.stringify(fields));
  const [answer]: IncomingMessage[] = await once(sent, "response");
  let text = "";
  for await (const chunk of answer ?? []) text += chunk;
  return text;
}

/** Bytes that are no request at all. */
async function mumble(url: string, bytes: string): Promise<void> {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, localAddress: ADDRESS });
  socket.end(bytes);
  socket.resume();
  await once(socket, "close");
}

/** What agents do, and what goes wrong; resolves to all tokens, and how many requests were sent. */
async function mixedRequests(
  url: string,
): Promise<{ tokens: string[]; agents: string[]; count: number }> {
  const api = (path: string, more: Omit<Asked, "path"> = {}) =>
    ask(url, { path: `/api/v1${path}`, ...more });
  const ada = JSON.parse(await api("/register", { fields: { handle: "ada", ref: REF } }));
  const fresh = JSON.parse(await api("/token/rotate", { fields: {}, token: ada.token }));
  const { token } = fresh;
  const unknown = `sk_${"5ec4e7".repeat(8)}`;
  const answers = await Promise.all([
    api("/post", { fields: { body: BODY, topic: "meta" }, token }),
    api("/post", { fields: { body: `${BODY} ${token}` }, token }),
    api("/post", { fields: { body: [BODY, token] }, token }),
    api("/post", { fields: { body: BODY }, token: unknown }),
    api("/post", { fields: { body: BODY }, token: `${token}0` }),
    api("/profile", { fields: { purpose: BODY }, token }),
    api("/report", { fields: { post_id: 99, rule: BODY }, token }),
    api("/me", { token }),
    api("/me", { token: ada.token }),
    api(`/feed?topic=${QUERY}&token=${token}`),
    api(`/feed?limit=${QUERY}`),
    api(`/agent/${QUERY}`),
    api(`/agent/${token}`),
    api(`/${token}?${QUERY}`, { headers: { referer: `http://${ADDRESS}/${token}` } }),
    api("/feed", { headers: { "user-agent": `Python-urllib/3.9 ${token}` } }),
    api("/feed", { headers: { "user-agent": "Python-urllib/3.9" } }),
  ]);
  await mumble(url, `GET /${token} ${QUERY}\r\n\r\n`);
  await mumble(url, `POST /api/v1/post HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"a`);
  return { tokens: [ada.token, token, unknown], agents: [ada.agent_id], count: answers.length + 2 };
}

/** Every file of a folder as one text, one character for each byte. */
const textOfFiles = (folder: string): string =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join("\n");

const requestLine = z.strictObject({
  level: z.literal("info"),
  time: z.number().min(1.7e12),
  request_id: z.string().regex(/^[0-9a-f]{16}$/),
  method: z.enum(["GET", "POST", "(unparsed)"]),
  route: z.string(),
  status: z.int().min(200).max(499),
  duration_ms: z.number().nonnegative(),
  bytes: z.int().nonnegative(),
  msg: z.literal("request"),
});

const ROUTES = new Set(
  [...Object.values(contracts), discovery].flatMap((domain) => Object.values(domain)).map(fullPath),
).union(new Set(["(none)", "(unparsed)"]));

for (const level of ["info", "debug"]) {
  test(`neither logs (${level}) nor storage hold what is secret`, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), "cairn-secrets-"));
    t.after(() => rmSync(dataDir, { recursive: true }));
    const service = await startService({
      CAIRN_DATA_DIR: dataDir,
      CAIRN_BASE_URL: "http://secrets.test",
      CAIRN_LOG_LEVEL: level,
      CAIRN_SEAL_INTERVAL_S: "1",
    });
    t.after(() => service.stop("SIGKILL"));
    const { tokens, agents, count } = await mixedRequests(service.url);
    const running = textOfFiles(dataDir);
    assert.equal(await service.stop("SIGTERM"), 0);
    const stored = running + textOfFiles(dataDir);
    const logs = service.output();

    assert.ok(stored.includes(BODY), "a post is stored as it was sent");
    for (const secret of [...tokens, "sk_", ADDRESS, FORWARDED_FOR])
      assert.ok(!stored.includes(secret), `${secret} is stored`);
    for (const secret of [...tokens, ...agents, "sk_", ADDRESS, "127.0.0.1", FORWARDED_FOR])
      assert.ok(!logs.includes(secret), `${secret} is in the logs`);
    for (const said of [BODY, QUERY, REF, "ada"])
      assert.ok(!logs.includes(said), `${said} is in the logs`);

    const lines = logs
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const requests = lines
      .filter(({ msg }) => msg === "request")
      .map((line) => requestLine.parse(line));
    assert.ok(requests.length >= count, `${requests.length} lines, ${count} requests`);
    for (const { route } of requests) assert.ok(ROUTES.has(route), route);
    assert.equal(new Set(requests.map(({ request_id }) => request_id)).size, requests.length);
    assert.deepEqual(
      lines.filter(({ msg }) => msg !== "request").map(({ msg }) => msg),
      ["serving", "stopping", "stopped"],
    );
  });
}

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as z from "zod";
import { connect as clientOf } from "../src/client/index.ts";
import {
  makeMessageKeys,
  messageMemory,
  publishMessageKeys,
  readMessages,
  sendMessage,
} from "../src/client/messages.ts";
import { contracts } from "../src/domains/contracts.ts";
import { discovery } from "../src/surfaces/describe/catalogue.ts";
import { FIXED_ROUTES } from "../src/surfaces/describe/fixed-routes.ts";
import { fullPath } from "../src/surfaces/routing/base-path.ts";
import { dance, toolAt } from "./mcp/oauth-hosts.ts";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";
import { runCairn, startService } from "./process.ts";
import { secondOpen, secondSeal } from "./second-client.ts";

/** Loopback has many addresses; this one is found again wherever it is written down. */
const ADDRESS = "127.0.7.77";
const FORWARDED_FOR = "203.0.113.77";

/** Registrations that one network has in an hour. */
const PER_HOUR = 3;

/** Words that are said in one place only. */
const BODY = "a body that nobody else says";
const QUERY = "a-topic-that-nobody-asks-for";
const REF = "a source that is nobody's business";
/** Its letters go beyond `f`, so that no request id in hexadecimal digits can hold it. */
const HANDLE = "lovelace";

/** The names of tables may end in `sk_`, so a few digits belong to it. */
const TOKEN_LIKE = /(?:sk|cg|cr)_[0-9a-f]{10}/;

const LETTER = "a letter for one pair of eyes";
const REPLY = "a reply that is nobody else's";

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
  const ada = JSON.parse(await api("/register", { fields: { handle: HANDLE, ref: REF } }));
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

/** Two independent clients write to each other and read it; resolves to what the network was given. */
async function lettersBetween(baseUrl: string): Promise<string[]> {
  const now = 1_800_000_000;
  const [carol, dave] = [
    await clientOf({ baseUrl }).identity.register({ handle: "carol" }),
    await clientOf({ baseUrl }).identity.register({ handle: "dave" }),
  ];
  const [keys, daves] = [makeMessageKeys(), makeMessageKeys()];
  const [network, other] = [
    clientOf({ baseUrl, token: carol.token }),
    clientOf({ baseUrl, token: dave.token }),
  ];
  await publishMessageKeys(network, keys);
  await publishMessageKeys(other, daves);
  const store = messageMemory();
  const onKeysChanged = async () => "keep" as const;
  const { agent_id } = carol;
  const mailbox = { network, agent_id, keys: [keys] as const, store, onKeysChanged };
  await sendMessage(mailbox, { to: "dave", body: LETTER, now });

  const [received] = (await other.dm.list()).messages;
  assert.ok(received);
  const there = { from: agent_id, to: dave.agent_id };
  assert.equal(secondOpen(received.box, there, daves, keys.signing).body, LETTER);
  const nonce = Buffer.alloc(16).toString("base64url");
  const reply = { from: dave.agent_id, to: agent_id, ts: now, nonce, body: REPLY };
  const box = secondSeal(reply, daves, keys.encryption);
  await other.dm.send({ to: "carol", box });
  const [message] = (await readMessages(mailbox, { now })).messages;
  assert.ok(message?.proven && message.body === REPLY);
  return [received.box, box];
}

/** A host signs in, refreshes, and says its tokens where they do not belong; resolves to all of them. */
async function tokensOfGrant(url: string): Promise<string[]> {
  const { signIn, refresh } = dance({ url });
  const { client_id, access_token, refresh_token } = await signIn();
  const { body: next } = await refresh({ client_id, refresh_token });
  const tokens = [access_token, refresh_token, next.access_token, next.refresh_token];
  for (const token of tokens) {
    await toolAt({ url }, access_token, "post_create", { body: `${BODY} ${token}` });
    await ask(url, { path: `/api/v1/post`, fields: { body: BODY }, token });
    await ask(url, { path: `/${token}?${QUERY}` });
  }
  // Two refresh tokens have a secret of their grant in common.
  return [...tokens, refresh_token.slice("cr_".length).slice(0, 48)];
}

/** Registers once more than a network may in an hour; resolves to how often that was refused. */
async function refusedRegistrations(url: string): Promise<number> {
  let refused = 0;
  for (let i = 0; i < PER_HOUR + 1; i++) {
    const answer = JSON.parse(await ask(url, { path: "/api/v1/register", fields: {} }));
    if (answer.error === "rate_limited") refused++;
  }
  return refused;
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
).union(new Set(["(none)", "(unparsed)", ...Object.values(FIXED_ROUTES).map(({ path }) => path)]));

for (const level of ["info", "debug"]) {
  test(`neither logs (${level}) nor storage hold what is secret`, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), "cairn-secrets-"));
    t.after(() => rmSync(dataDir, { recursive: true }));
    const adminPort = await freePort();
    const variables = {
      CAIRN_DATA_DIR: dataDir,
      CAIRN_BASE_URL: "http://secrets.test",
      CAIRN_LOG_LEVEL: level,
      CAIRN_SEAL_INTERVAL_S: "1",
      CAIRN_REGISTRATIONS_PER_HOUR: String(PER_HOUR),
      CAIRN_ADMIN_PORT: String(adminPort),
    };
    const service = await startService(variables);
    t.after(() => service.stop("SIGKILL"));
    const { tokens, agents, count } = await mixedRequests(service.url);
    const boxes = await lettersBetween(service.url);
    tokens.push(...(await tokensOfGrant(service.url)));
    assert.equal(await refusedRegistrations(service.url), 2, "one was ada's");
    let figures = "";
    await eventually(async () => {
      const metrics = await fetch(`http://127.0.0.1:${adminPort}/metrics`);
      figures = await metrics.text();
      return /^cairn_registrations_refused_total 2$/m.test(figures);
    });
    assert.match(figures, /^cairn_registrations_last_hour 6$/m);
    for (const copy of ["backup", "export"]) {
      const { code, err } = await runCairn([copy, join(dataDir, copy)], variables);
      assert.equal(code, 0, err);
    }
    const running = textOfFiles(dataDir);
    assert.equal(await service.stop("SIGTERM"), 0);
    const stored = running + textOfFiles(dataDir);
    const logs = service.output();

    assert.ok(stored.includes(BODY), "a post is stored as it was sent");
    for (const box of boxes) assert.ok(stored.includes(box), "a box is stored as it was sent");
    for (const text of [stored, logs]) assert.ok(!TOKEN_LIKE.test(text), "part of a token");
    for (const secret of [...tokens, ADDRESS, FORWARDED_FOR, LETTER, REPLY])
      assert.ok(!stored.includes(secret), `${secret} is stored`);
    for (const secret of [...tokens, ...agents, ADDRESS, FORWARDED_FOR])
      assert.ok(!figures.includes(secret), `${secret} is in the figures`);
    for (const secret of [...tokens, ...agents, ADDRESS, "127.0.0.1", FORWARDED_FOR])
      assert.ok(!logs.includes(secret), `${secret} is in the logs`);
    for (const said of [BODY, QUERY, REF, HANDLE, LETTER, REPLY, ...boxes])
      assert.ok(!logs.includes(said), `${said} is in the logs`);

    const lines = logs
      .split("\n")
      .filter((line) => line.startsWith("{")) // The SDK for MCP says a sentence when it is loaded.
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

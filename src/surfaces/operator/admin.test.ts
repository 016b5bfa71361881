import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import * as z from "zod";
import { rawSocket } from "../../../test/raw-socket.ts";
import type { Connections } from "../connections/connections.ts";
import { PIPELINE } from "../connections/pipeline.ts";
import { ROOM, roomOf } from "../connections/room.ts";
import { UNSENT, unsentOf } from "../connections/unsent.ts";
import { httpServer, TIMEOUTS } from "../server.ts";
import { answersOf, type Observer } from "../wire/answer.ts";
import { createAdminListener, OPERATOR_HEADERS } from "./admin.ts";
import { figuresOf, type Looks } from "./metrics.ts";

interface State {
  readonly unhealthy?: readonly string[];
  readonly unready?: readonly string[];
}

async function openAdmin(t: TestContext, { unhealthy = [], unready = [] }: State = {}) {
  const failures: unknown[] = [];
  let entries = 7;
  let now_ms = 0;
  const soon: Looks["soon"] = async (measure) => {
    try {
      return await measure();
    } catch {
      return null;
    }
  };
  const gone = async () => {
    throw new Error("The storage does not answer.");
  };
  const figures = figuresOf(
    [
      { name: "cairn_ledger_entries", help: "Entries.", collect: async () => entries++ },
      { name: "cairn_seals_total", help: "Seals.", collect: gone },
      {
        name: "cairn_alarms_total",
        help: "Alarms.",
        collect: () => [[{ name: "unwitnessed" }, 3]],
      },
    ],
    { now_ms: () => now_ms, now: () => 1_800_000_000, soon },
  );
  const findings = (reasons: readonly string[]) => async () =>
    reasons.map((sentence) => ({
      name: "chain",
      sentence,
      advice: "Look at it.",
      since: 7,
      state: sentence === "Perhaps." ? ("warning" as const) : ("fault" as const),
    }));
  const observer: Observer = {
    now_ms: () => performance.now(),
    answered: () => {},
    failed: (_, cause) => failures.push(cause),
  };
  const connections: Connections = new Map();
  const unsent = unsentOf(connections, {
    bounds: UNSENT,
    now_ms: observer.now_ms,
    holderOf: ({ socket }) => socket,
    closed() {},
  });
  const room = roomOf(connections, {
    bounds: ROOM,
    now_ms: observer.now_ms,
    senderOf: () => null,
    refused() {},
  });
  const common = OPERATOR_HEADERS;
  const wording = (sentence: string) => sentence;
  const answers = answersOf({ common, process_id: "01234567", observer, unsent, room, wording });
  const listener = createAdminListener({
    answers,
    names: ["monitor.example", "cairn"],
    unhealthy: findings(unhealthy),
    unready: findings(unready),
    metrics: figures.text,
    console: null,
    consoleOrigin: null,
  });
  const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());
  const serving = { listener, answers, connections, room, timeouts: TIMEOUTS };
  const server = httpServer({ ...serving, pipeline: PIPELINE, sleep });
  const { port } = (await server.listen(0, "127.0.0.1")) as AddressInfo;
  t.after(server.close);
  const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
  const pass = (ms: number) => {
    now_ms += ms;
  };
  return { figures, get, failures, port, pass };
}

const verdict = z.object({
  ok: z.boolean(),
  reasons: z.array(z.string()),
  findings: z.array(
    z.object({ name: z.string(), sentence: z.string(), since: z.number(), state: z.string() }),
  ),
});

test("health and readiness tell their reasons, each its own", async (t) => {
  const rows = [
    [{}, "/healthz", 200, []],
    [{}, "/readyz", 200, []],
    [{ unhealthy: ["Broken."] }, "/healthz", 503, ["Broken."]],
    [{ unhealthy: ["Broken."] }, "/readyz", 200, []],
    [{ unready: ["Full."] }, "/healthz", 200, []],
    [{ unready: ["Full."] }, "/readyz", 503, ["Full."]],
    [{ unready: ["Perhaps."] }, "/readyz", 200, ["Perhaps."]],
    [{ unready: ["Perhaps.", "Full."] }, "/readyz", 503, ["Perhaps.", "Full."]],
  ] as const;
  for (const [state, path, status, reasons] of rows) {
    const { get } = await openAdmin(t, state);
    const response = await get(path);
    assert.equal(response.status, status);
    const found = z.parse(verdict, await response.json());
    assert.equal(found.ok, status === 200);
    assert.deepEqual(
      found.findings.map(({ sentence }) => sentence),
      reasons,
    );
    const faults = reasons.filter((each) => each !== "Perhaps.");
    assert.deepEqual(found.reasons, faults, "a warning is no reason for a no");
  }
});

test("no page of another origin may read what operators see", async (t) => {
  const { get } = await openAdmin(t);
  for (const path of ["/healthz", "/metrics", "/nowhere"]) {
    const { headers } = await get(path);
    assert.equal(headers.get("access-control-allow-origin"), null);
    assert.equal(headers.get("cross-origin-resource-policy"), "same-origin");
  }
  const nowhere = await get("/nowhere");
  assert.equal(nowhere.status, 404);
  assert.match(await nowhere.text(), /"Here are \/healthz, \/readyz, \/metrics\."/);
  const refused = await get("/metrics", { method: "POST" });
  assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD"]);
});

test("only addresses, localhost and the set name are answered", async (t) => {
  const { port, failures } = await openAdmin(t);
  const statusFor = async (host: string) => {
    const socket = await rawSocket(port);
    socket.send(`GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    return (await socket.end())[0]?.status;
  };
  const own = ["127.0.0.1", "10.0.0.7:8081", "[::1]:8081", "localhost", "LocalHost:8081"];
  for (const host of [...own, "monitor.example:8081", "Cairn:8081"])
    assert.equal(await statusFor(host), 200, host);
  const answered = async (line: string, ...fields: readonly string[]) => {
    const socket = await rawSocket(port);
    socket.send([line, ...fields, "Connection: close", "", ""].join("\r\n"));
    return (await socket.end())[0]?.status;
  };
  for (const path of ["/healthz", "/readyz", "/metrics"])
    assert.equal(await answered(`GET ${path} HTTP/1.0`), 200, "a health check has no Host");
  assert.equal(await answered("GET /readyz HTTP/1.1"), 400);
  const at = (host: string) => `GET http://${host}/metrics HTTP/1.1`;
  assert.equal(await answered(at("127.0.0.1"), "Host: evil.example"), 200);
  assert.equal(await answered(at("evil.example"), "Host: 127.0.0.1"), 403);
  const foreign = ["evil.example", "evil.example:8081", "127.0.0.1.evil.example", "localhost.evil"];
  for (const host of [...foreign, "1.2.3", "localhost."])
    assert.equal(await statusFor(host), 403, host);
  assert.deepEqual(failures, []);
});

test("figures count answers by route, method and status, and how long they took", async (t) => {
  const { figures, get, pass } = await openAdmin(t);
  const reported = { request_id: "0", bytes: 0, began_ms: 1_000, waits_ms: 0 };
  const count = (route: string, method: string, status: number, took_ms: number) =>
    figures.count({ ...reported, route, method, status, ended_ms: 1_000 + took_ms });
  count("/api/v1/feed", "GET", 200, 0.5);
  count("/api/v1/feed", "GET", 200, 1);
  count("/api/v1/feed", "GET", 422, 3);
  count("/api/v1/feed", "HEAD", 200, 60_000);
  count("(none)", "GET", 404, 2);
  const waited = { ...reported, route: "/api/v1/since", method: "GET", status: 200 };
  figures.count({ ...waited, waits_ms: 1_002, ended_ms: 31_002 });

  assert.deepEqual(
    figures.slowest(1_800_000_100).map(({ route, duration_s }) => [route, duration_s]),
    [["/api/v1/feed", 60]],
    "neither a quick answer nor a long wait is a slow one",
  );
  assert.deepEqual(figures.slowest(1_800_003_601), []);

  const response = await get("/metrics");
  assert.match(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split("\n");
  for (const line of [
    "# TYPE cairn_ledger_entries gauge",
    "cairn_ledger_entries 7",
    "# TYPE cairn_alarms_total counter",
    'cairn_alarms_total{name="unwitnessed"} 3',
    "cairn_figures_missing 1",
    'cairn_requests_total{route="/api/v1/feed",method="GET",status="200"} 2',
    'cairn_requests_total{route="/api/v1/feed",method="GET",status="422"} 1',
    'cairn_requests_total{route="/api/v1/feed",method="HEAD",status="200"} 1',
    'cairn_requests_total{route="(none)",method="GET",status="404"} 1',
    'cairn_request_duration_seconds_bucket{route="/api/v1/feed",le="0.001"} 2',
    'cairn_request_duration_seconds_bucket{route="/api/v1/feed",le="0.0025"} 2',
    'cairn_request_duration_seconds_bucket{route="/api/v1/feed",le="0.005"} 3',
    'cairn_request_duration_seconds_bucket{route="/api/v1/feed",le="30"} 3',
    'cairn_request_duration_seconds_bucket{route="/api/v1/feed",le="+Inf"} 4',
    'cairn_request_duration_seconds_count{route="/api/v1/feed"} 4',
    'cairn_request_duration_seconds_bucket{route="/api/v1/since",le="0.0025"} 1',
    'cairn_request_waits_total{route="/api/v1/since"} 1',
    'cairn_request_waited_seconds_total{route="/api/v1/since"} 30',
  ])
    assert.ok(lines.includes(line), line);
  assert.ok(lines.some((line) => line.startsWith("process_cpu_seconds_total ")));
  assert.ok(
    !lines.some((line) => line.includes("cairn_seals_total")),
    "what nobody tells is left out",
  );
  pass(999);
  assert.match(await (await get("/metrics")).text(), /^cairn_ledger_entries 7$/m);
  pass(1);
  assert.match(await (await get("/metrics")).text(), /^cairn_ledger_entries 8$/m);
});

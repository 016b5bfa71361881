import assert from "node:assert/strict";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { AS_AGENT, ask, BASE, open, post } from "../../test/ask.ts";
import { eventually } from "../../test/postgres-store.ts";
import { TOKEN } from "../../test/tiny-network.ts";
import { type LogParts, openLog } from "./log.ts";

/** A log that writes to a file, and what is in it. */
function fileLog(t: TestContext, parts: Partial<LogParts> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "cairn-log-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "log");
  const log = openLog({ level: "info", format: "json", to: openSync(file, "w"), ...parts });
  const text = () => {
    log.flush();
    return readFileSync(file, "utf8");
  };
  return {
    log,
    text,
    /** Waits until the log has written so many lines by itself; a flush overtakes a batch on its way. */
    written: (lines: number) =>
      eventually(() => readFileSync(file, "utf8").split("\n").length > lines),
    lines: () =>
      text()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
  };
}

test("one line for each answer, with what it may hold and nothing else", async (t) => {
  const { log, lines, text, written } = fileLog(t);
  const tiny = await open(t, { observer: log });
  await ask(tiny, `${BASE}/item/SECRET?tag=SECRET`, {
    headers: { "x-forwarded-for": "192.0.2.7" },
  });
  await post(tiny, `${BASE}/items`, { body: "SECRET" }, { ...AS_AGENT, "user-agent": "SECRET" });
  await ask(tiny, `${BASE}/me`, { headers: { authorization: "SECRET" } });
  await ask(tiny, "/SECRET");
  await post(tiny, `${BASE}/broken`, {});

  await written(6);
  const reported = lines();
  const requests = reported.filter(({ msg }) => msg === "request");
  assert.deepEqual(
    requests.map(({ method, route, status }) => [method, route, status]),
    [
      ["GET", "/api/v1/item/{name}", 200],
      ["POST", "/api/v1/items", 201],
      ["GET", "/api/v1/me", 401],
      ["GET", "(none)", 404],
      ["POST", "/api/v1/broken", 500],
    ],
  );
  for (const line of requests) {
    assert.deepEqual(Object.keys(line), [
      "level",
      "time",
      "request_id",
      "method",
      "route",
      "status",
      "duration_ms",
      "bytes",
      "msg",
    ]);
    assert.match(line.request_id, /^[0-9a-f]{16}$/);
    assert.ok(Math.abs(Date.now() - line.time) < 60_000);
    assert.ok(line.duration_ms >= 0 && line.bytes > 0);
  }
  const failed = reported.find(({ level }) => level === "error");
  assert.equal(failed.request_id, requests.at(-1).request_id);
  assert.equal(failed.cause.message, "the cause");
  for (const secret of ["SECRET", TOKEN, "127.0.0.1", "192.0.2.7", "ag_tiny"])
    assert.ok(!text().includes(secret), secret);
});

test("an error's other members stay out, its causes do not", (t) => {
  const { log, lines } = fileLog(t);
  const inner = Object.assign(new Error("inner"), { parameters: ["SECRET"] });
  const answer = { request_id: "1", route: "/r", method: "GET", status: 500, bytes: 0 };
  log.failed(
    { ...answer, began_ms: 0, waits_ms: 0, ended_ms: 0 },
    new Error("outer", { cause: inner }),
  );
  const [{ cause }] = lines();
  assert.deepEqual([cause.name, cause.message, cause.cause.message], ["Error", "outer", "inner"]);
  assert.ok(!JSON.stringify(cause).includes("SECRET"));
});

test("a level hides what is below it, requests too; pretty lines are for eyes", async (t) => {
  const quiet = fileLog(t, { level: "warn" });
  const pretty = fileLog(t, { format: "pretty" });
  for (const { log } of [quiet, pretty]) {
    const tiny = await open(t, { observer: log });
    await ask(tiny, `${BASE}/about`);
    log.info({ port: 1 }, "serving");
    log.warn({ port: 2 }, "late");
  }
  await quiet.written(1);
  await pretty.written(3);
  assert.deepEqual(
    quiet.lines().map(({ msg, port }) => [msg, port]),
    [["late", 2]],
  );
  const [request, serving, late] = pretty.text().split("\n");
  assert.match(
    request ?? "",
    /^[\d:.]{12} info request request_id=\w{16} method=GET route=\/api\/v1\/about/,
  );
  assert.match(serving ?? "", /^[\d:.]{12} info serving port=1$/);
  assert.match(late ?? "", / warn late port=2$/);
});

test("lines are written without being asked for, in order, whatever their length", async (t) => {
  const { log, lines, written } = fileLog(t);
  const long = "x".repeat(200_000);
  for (let i = 0; i < 100; i++) log.info({ i, ...(i % 10 === 0 && { long }) }, "line");
  await written(100);
  assert.deepEqual(
    lines().map(({ i }) => i),
    Array.from({ length: 100 }, (_, i) => i),
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { registry } from "../../../test/registry.ts";
import guesses from "../../../test/routes/guesses.json" with { type: "json" };
import keptBack from "../../../test/routes/kept-back.json" with { type: "json" };
import { eachEngine } from "../../../test/service.ts";
import type { Destination } from "../../platform/kernel/contract/errors.ts";
import { FIXED_ROUTES } from "../describe/fixed-routes.ts";
import { BASE } from "./base-path.ts";
import { nearRoutes } from "./near-routes.ts";

const fixed = Object.values(FIXED_ROUTES);
const near = nearRoutes({
  registry,
  documents: fixed.filter(({ method }) => method === "GET"),
  gates: fixed.flatMap(({ method, path }) =>
    method === "POST" ? [{ path, methods: [method] }] : [],
  ),
});

let second = 0;

/** `POST /request/answer request_id=1`: a suggestion as the lists have it. */
function said({ method, path, fields = {} }: Destination): string {
  const values = Object.entries(fields).map(([field, value]) => `${field}=${value}`);
  return [method, path.replace(BASE, "") || "/", ...values].join(" ");
}

function suggested(asked: string): readonly string[] {
  const [method = "", path = ""] = asked.split(" ");
  second += 1;
  const whole = path.startsWith("/api/") ? path : BASE + path;
  return near(whole, { method, began_ms: second * 1_000 }).did_you_mean.map(said);
}

/** A write that is none of those that a guess can mean, or a write in answer to a read. */
const misleads = (expected: string, all: readonly string[]): boolean =>
  !expected.includes("/mcp") &&
  all.some((each) => each.startsWith("POST") && !expected.split(" | ").includes(each));

const isRight = (expected: string, [first = "-"]: readonly string[]): boolean =>
  expected.split(" | ").includes(first);

test("each guessed route is answered with the one that was meant, and its ids stand in the fields", () => {
  assert.ok(guesses.length >= 120);
  for (const [asked = "", expected = ""] of guesses) {
    const all = suggested(asked);
    assert.ok(isRight(expected, all), `${asked} leads to ${all.join(", ")}, and means ${expected}`);
    assert.ok(!misleads(expected, all), `${asked} leads to ${all.join(", ")}`);
    assert.ok(all.length <= 2);
  }
});

test("of guesses that no word was chosen for, none leads to another write", () => {
  assert.ok(keptBack.length >= 165);
  const misled = keptBack.filter(([asked = "", expected = ""]) =>
    misleads(expected, suggested(asked)),
  );
  assert.deepEqual(misled, []);
  const meant = keptBack.filter(([, expected]) => expected !== "-");
  const right = meant.filter(([asked = "", expected = ""]) => isRight(expected, suggested(asked)));
  assert.ok(right.length / meant.length >= 0.85, `${right.length} of ${meant.length}`);
});

test("a read names reads alone, and a write that takes back needs a word for it", () => {
  const things = "post request answer repo claim app order offer task agent dm coin token".split(
    " ",
  );
  const verbs = "like star follow pin merge fork clone share mute assign start finish hold".split(
    " ",
  );
  const undoing = /withdraw|retract|leave|unblock|dispute|refuse|rotate|send$|accept$/;
  for (const thing of things)
    for (const verb of verbs)
      for (const path of [`/${thing}s/7/${verb}`, `/${thing}/${verb}`]) {
        assert.deepEqual(
          suggested(`GET ${path}`).filter((each) => !each.startsWith("GET")),
          [],
        );
        assert.deepEqual(
          suggested(`POST ${path}`).filter((each) => undoing.test(each)),
          [],
          path,
        );
      }
});

test("a write that is asked for by GET leads to reads of the same part", () => {
  const gets = new Set(registry.flatMap(({ method, path }) => (method === "GET" ? [path] : [])));
  const asked = registry.filter(({ method, path }) => method === "POST" && !gets.has(path));
  const part = (path: string) => path.split("/")[1]?.replace(/s$/, "");
  const others = asked.flatMap(({ path }) =>
    suggested(`GET ${path}`)
      .filter((each) => part(each) !== part(path))
      .map((each) => `${path}: ${each}`),
  );
  assert.deepEqual(others, [
    "/claim: GET /proposals",
    "/claim/resolve: GET /proposals",
    "/key: GET /verify",
    "/key/keep: GET /verify",
    "/key/recover: GET /verify",
    "/post: GET /feed",
    "/post/retract: GET /feed",
    "/profile: GET /me",
    "/profile: GET /.well-known/agent.json",
  ]);
});

test("beyond 100 look-ups a second there are no suggestions", () => {
  const asked = { method: "GET", began_ms: (second + 10) * 1_000 };
  for (let n = 0; n < 100; n++) near("/users", asked);
  assert.deepEqual(near("/users", asked).did_you_mean, []);
});

eachEngine("a guessed route is never executed and never a redirect", async (service) => {
  const ada = await service.register("ada");
  await ada.post("/post", { body: "Hello." });
  await service.sequenced();
  const before = (await service.get("/since?after_id=0")).body.entries.length;
  const send = async (asked: string) => {
    const [method = "", path = ""] = asked.split(" ");
    const response = await fetch(service.url + (path.startsWith("/api/") ? path : BASE + path), {
      method,
      redirect: "manual",
      headers: { authorization: `Bearer ${ada.token}`, "content-type": "application/json" },
      body: method === "GET" ? null : JSON.stringify({ body: "x", text: "x", post_id: 1 }),
    });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) };
  };
  for (const [asked = ""] of [...guesses, ...keptBack]) {
    const { status, text } = await send(asked);
    assert.ok([404, 405, 401, 406, 400].includes(status), `${asked}: ${status} ${text}`);
    assert.ok(text.length <= 1_500, `${asked}: ${text.length} characters`);
  }
  await service.sequenced();
  assert.equal((await service.get("/since?after_id=0")).body.entries.length, before);
  await new Promise((resolve) => setTimeout(resolve, 1_100));

  const answered = await send("POST /request/1/answer");
  assert.deepEqual(
    [answered.status, answered.body.did_you_mean],
    [404, [{ method: "POST", path: `${BASE}/request/answer`, fields: { request_id: 1 } }]],
  );
  assert.match(answered.body.message, /nothing was done.*request\/answer with request_id 1\?/);
  const listed = await send("POST /requests");
  assert.deepEqual(
    [listed.status, listed.body.allowed, listed.body.did_you_mean],
    [405, ["GET", "HEAD"], [{ method: "POST", path: `${BASE}/request` }]],
  );
  const retracted = await send("DELETE /post/1");
  assert.deepEqual(
    [retracted.status, retracted.body.did_you_mean],
    [405, [{ method: "POST", path: `${BASE}/post/retract`, fields: { post_id: 1 } }]],
  );
  assert.match(retracted.body.message, /Nothing that is published is changed or deleted/);
  const submitted = await send("POST /tasks");
  assert.deepEqual(
    [submitted.status, submitted.body.did_you_mean],
    [405, ["/tasks/submit", "/request"].map((path) => ({ method: "POST", path: BASE + path }))],
  );
  for (const asked of ["DELETE /tasks/7", "PATCH /tasks", "PUT /submission/7"]) {
    const { body } = await send(asked);
    assert.equal(body.did_you_mean, undefined);
    assert.match(body.message, /is changed or deleted\. GET \S+\?tag=tasks&types=1 shows/, asked);
  }
  const nothing = await send("POST /entry/1");
  assert.equal(nothing.body.message, "This path has another method: use GET or HEAD.");
  for (const asked of ["DELETE /me", "DELETE /agent/ada", "DELETE /agents/ada"]) {
    const { body } = await send(asked);
    assert.equal(body.did_you_mean, undefined);
    assert.match(body.message, /No agent is deleted.*POST \/api\/v1\/profile changes/, asked);
    assert.doesNotMatch(body.message, /grants/);
  }
  const profile = await send("PUT /profile");
  assert.doesNotMatch(profile.body.message, /changed or deleted/);
  assert.deepEqual(profile.body.did_you_mean, [{ method: "POST", path: `${BASE}/profile` }]);
  const accepted = await send("POST /request/1/accept");
  assert.deepEqual(accepted.body.did_you_mean, [
    { method: "POST", path: `${BASE}/request/accept` },
    { method: "GET", path: `${BASE}/request/1` },
  ]);
  const unknown = await send("POST /post/1/like");
  assert.match(unknown.body.message, /\?tag=feed&types=1/);
  for (const asked of [
    "POST /mcp/",
    "POST /api/mcp",
    "GET /api/sse",
    "PUT /api/mcp",
    "POST /api/sse",
  ]) {
    const { status, body } = await send(asked);
    assert.equal(status, 404, asked);
    const { baseUrl } = service.service.context.settings;
    assert.ok(body.message.includes(`${baseUrl}/api/v1/mcp/open`), body.message);
  }
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { SPEECH } from "../src/domains/views/limits/honest.ts";
import { openTestService } from "./service.ts";

// Each sentence of one answer against the answer, or the record, that decides whether it is true. Each of these
// pairs once said two things.

let service: Awaited<ReturnType<typeof openTestService>>;
before(async () => {
  service = await openTestService("sqlite", "truth");
});
after(() => service.close());

const text = async (path: string): Promise<string> => (await fetch(service.url + path)).text();
const json = async (path: string) => JSON.parse(await text(path));

interface Described {
  readonly description: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
  readonly requestBody?: unknown;
}

/** Every operation of the OpenAPI document, as `GET /api/v1/since`. */
async function described(): Promise<Map<string, Described>> {
  const { paths } = await json("/api/v1/openapi.json");
  const methods = (path: string) =>
    Object.entries<Described>(paths[path])
      .filter(([method]) => method === "get" || method === "post")
      .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const);
  return new Map(Object.keys(paths).flatMap(methods));
}

const boundAt = async (id: string): Promise<{ applies_to: string }> => {
  const { limits } = await json("/api/v1/limits");
  return limits.find((limit: { id: string }) => limit.id === id);
};

const short = (route: string) => route.replace("/api/v1", "");

test("the bounds of waiting name every route that waits", async () => {
  const waiting = [...(await described())].filter(([, { parameters = [] }]) =>
    parameters.some(({ name }) => name === "wait"),
  );
  assert.ok(waiting.length >= 2);
  for (const id of ["waits_agent", "waits_address", "waits_network"])
    for (const [route] of waiting)
      assert.ok((await boundAt(id)).applies_to.includes(short(route)), `${id} and ${route}`);
});

test("the promise on polling and the bounds name every route that streams", async () => {
  const { non_guarantees } = await json("/api/v1/contract");
  const push = non_guarantees.find(({ id }: { id: string }) => id === "push").text;
  const streaming = [...(await described())].filter(([, operation]) => "x-stream" in operation);
  assert.ok(streaming.length >= 2);
  for (const [route] of streaming) {
    const [, path = ""] = short(route).split(" ");
    assert.ok(push.includes(path), `${push}: ${path}`);
    assert.ok((await boundAt("streams_network")).applies_to.includes(path), path);
  }
});

test("a route's sentence on repeats is what its refusals and its fields allow", async () => {
  const { routes } = await json("/api/v1");
  const sends = new Map<string, readonly string[]>(
    routes.map((route: { method: string; path: string; sends: readonly string[] }) => [
      `${route.method} ${route.path}`,
      route.sends,
    ]),
  );
  const { errors } = await json("/api/v1/errors");
  const codes = new Set(errors.map(({ code }: { code: string }) => code));
  const seen = { refused: 0, second: 0 };
  for (const [route, { description }] of await described()) {
    const refusal = /A repetition is refused with (\w+)/.exec(description)?.[1];
    if (refusal !== undefined) assert.ok(codes.has(refusal), `${route}: ${refusal}`);
    if (refusal !== undefined) seen.refused++;
    if (!/A repetition is (?:a second write|refused)/.test(description)) continue;
    seen.second++;
    if (/unless it has the same client_ref/.test(description))
      assert.ok(sends.get(route)?.includes("client_ref?"), `${route} takes client_ref`);
  }
  assert.ok(seen.refused > 3 && seen.second > 20, JSON.stringify(seen));
});

test("skill.md and the contract say the same of a repeated write", async () => {
  const { idempotency } = await json("/api/v1/contract");
  const sentence = /The same write with the same client_ref is made once in \d+ days: [^.]*\./;
  const [said] = sentence.exec(idempotency) ?? [];
  assert.ok(said !== undefined);
  assert.ok((await text("/api/v1/skill.md")).includes(said), said);
});

test("a route of the original service is not called the same as its successor", async () => {
  for (const path of ["/invoice", "/quest/answer", "/quickstart", "/rules"]) {
    const { paths } = await json(`/api/v1/openapi.json?path=/api/v1${path}`);
    assert.doesNotMatch(JSON.stringify(paths), /The same as/, path);
  }
});

test("the market's steps name each act of an order, and no limit denies one", async () => {
  const { how_it_works, honest_limits } = await json("/api/v1/market");
  const steps = how_it_works.join(" ");
  for (const act of ["order", "deliver", "accept", "dispute", "payout-address"])
    assert.ok(steps.includes(`POST /api/v1/market/${act}`), act);
  for (const limit of honest_limits) assert.doesNotMatch(limit, /There is no \w+ route/);
});

test("a time for payouts is named once, as what it is", async () => {
  const { honest_limits, limits } = await json("/api/v1/market");
  assert.equal(typeof limits.operator_pays_within_h, "number");
  const promised = honest_limits.find((limit: string) => limit.includes("no date is promised"));
  assert.match(promised, /operator_pays_within_h is when one counts as overdue/);
});

test("a network without a log says so where a log's files would be", async () => {
  const { log } = await json("/api/v1/verify");
  assert.equal(log, null);
  assert.match((await json("/tlog/checkpoint")).message, /no log at all/);
});

test("each binding of the agent card answers", async () => {
  const { supportedInterfaces } = await json("/.well-known/agent-card.json");
  assert.ok(supportedInterfaces.length >= 2);
  for (const { url, protocolBinding } of supportedInterfaces) {
    const at = protocolBinding === "HTTP+JSON" ? `${url}/tasks` : url;
    const method = protocolBinding === "HTTP+JSON" ? "GET" : "POST";
    const path = new URL(at).pathname;
    const { status } = await fetch(service.url + path, { method });
    assert.ok(status !== 404 && status !== 405, `${protocolBinding} ${path}: ${status}`);
  }
});

test("the one-file clients name each other's files, and these are served", async () => {
  const python = await text("/cairn.py");
  for (const file of ["/messages.mjs", "/verify.mjs"]) {
    assert.ok(python.slice(0, 2_000).includes(file.slice(1)), file);
    assert.equal((await fetch(service.url + file)).status, 200, file);
  }
});

test("a refused DELETE names the route that takes the thing back", async () => {
  const { routes } = await json("/api/v1");
  const withdrawing = routes.filter(({ path }: { path: string }) => path.endsWith("/withdraw"));
  assert.ok(withdrawing.length >= 3);
  for (const { path } of [...withdrawing, { path: "/api/v1/post/retract" }]) {
    const thing = path.slice(0, path.lastIndexOf("/"));
    const refused = await fetch(`${service.url}${thing}/1`, { method: "DELETE" });
    const { message } = Object(await refused.json());
    assert.ok(message.includes(`POST ${path}`), message);
  }
});

const TEXTS = [
  "/api/v1/skill.md",
  "/api/v1/llms.txt",
  "/WHITEPAPER.md",
  "/api/v1/coin/whitepaper",
  "/api/v1/contract",
  "/api/v1/limits",
  "/api/v1/pitch",
  "/api/v1/mission",
  "/api/v1/market",
  "/api/v1/errors",
  "/api/v1/tasks",
  "/api/v1/quickstart",
  "/api/v1/verify",
  "/api/v1/rules",
];

const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll(/[.:]/g, "\\$&").replaceAll(/\{\w+\}/g, "[^/]+")}$`);

test("every route that a served text names is there", async () => {
  const { routes } = await json("/api/v1");
  const known = routes.map(({ method, path }: { method: string; path: string }) => ({
    method,
    path: patternOf(path),
  }));
  let named = 0;
  for (const document of TEXTS)
    for (const [, method, path = ""] of (await text(document)).matchAll(
      /\b(GET|POST) (\/[A-Za-z0-9_./{}-]*[A-Za-z0-9_}])/g,
    )) {
      named++;
      const isThere = known.some(
        (route: { method: string; path: RegExp }) =>
          route.method === method && (route.path.test(path) || route.path.test(`/api/v1${path}`)),
      );
      assert.ok(isThere, `${document} names ${method} ${path}`);
    }
  assert.ok(named > 100, String(named));
});

test("README, SECURITY and the limits say in the same words what the ledger does not prove", async () => {
  const { honest_limits } = await json("/api/v1/limits");
  const said = honest_limits.map((limit: { text: string }) => limit.text);
  assert.ok(said.includes(SPEECH));
  for (const page of ["README.md", "SECURITY.md"]) {
    const words = readFileSync(new URL(`../${page}`, import.meta.url), "utf8").replaceAll("**", "");
    assert.ok(words.replace(/\s+/g, " ").includes(SPEECH), page);
  }
});

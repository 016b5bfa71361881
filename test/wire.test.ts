import assert from "node:assert/strict";
import { test } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { pythonClient } from "../packages/python.ts";
import { ERROR_CODES, ERRORS } from "../src/platform/kernel/contract/errors.ts";
import { startAt } from "../src/surfaces/describe/catalogue.ts";
import { llmsText } from "../src/surfaces/describe/llms.ts";
import { openapiDocument } from "../src/surfaces/describe/openapi/document.ts";
import { serverCard } from "../src/surfaces/describe/server-card.ts";
import { skillText } from "../src/surfaces/describe/skill.ts";
import { routeWording } from "../src/surfaces/routing/base-path.ts";
import { matchesGolden, matchesGoldenJson, matchesTable } from "./golden.ts";
import { none, within } from "./limits.ts";
import { namesPage } from "./names.ts";
import { registry } from "./registry.ts";
import { routesFile } from "./routes.ts";
import { openTestService, START } from "./service.ts";
import { baseUrl, catalogue, openapi, tools, version } from "./wire.ts";

const skill = skillText({ registry, baseUrl, version });
const llms = llmsText(baseUrl);
const card = serverCard({ baseUrl, version });

test("the catalogue is the golden one", () => matchesGoldenJson("catalogue.json", catalogue));

test("the OpenAPI document is the golden one, but for its examples", () =>
  matchesGoldenJson("openapi.json", withoutExamples(openapi)));

/** Of an error's examples the codes stay: a released one must not go. */
const withoutExamples = (document: object): object =>
  JSON.parse(JSON.stringify(document), (key, value) => {
    if (key === "example") return undefined;
    return key === "examples"
      ? Object.fromEntries(Object.keys(value).map((code) => [code, {}]))
      : value;
  });

test("no object of more than 350 bytes is printed twice", () => {
  const places = new Map<string, string[]>();
  const visit = (value: unknown, place: string): void => {
    if (typeof value !== "object" || value === null) return;
    const text = JSON.stringify(value);
    if ("properties" in value && text.length > 350)
      places.set(text, [...(places.get(text) ?? []), place]);
    for (const [key, member] of Object.entries(value)) visit(member, `${place}/${key}`);
  };
  visit(withoutExamples(openapi), "");
  // Two kinds of entry may have the same fields.
  const isKind = (place: string) => place.startsWith("/components/schemas/LedgerEntry_");
  const repeated = [...places.values()].filter((all) => all.length > 1 && !all.every(isKind));
  none(
    repeated.map((places) => places.join(" and ")),
    "An object of more than 350 bytes is printed twice: name it in the `shapes` of its domain.",
  );
});

test("skill.md, llms.txt, the server card and the tools are the golden ones", () => {
  matchesGolden("skill.md", skill);
  matchesGolden("llms.txt", llms);
  matchesGoldenJson("server-card.json", card);
  matchesGoldenJson("tools.json", tools);
});

test("the page of names is the golden one", () =>
  matchesGolden("../../docs/reference/names.md", namesPage()));

test("the page of errors has the record of each code", () => {
  const wording = routeWording(registry);
  const rows = ERROR_CODES.map((code) => {
    const { status, meaning, more = "", remedy } = ERRORS[code];
    const routed = remedy.replaceAll(/\{[\w.]+\}/g, (name) => `\`${wording(name)}\``);
    const cells = [
      status,
      `\`${code}\``,
      `${meaning} ${more}`.trim(),
      routed.replaceAll("<", "\\<"),
    ];
    return { status, row: `| ${cells.join(" | ")} |` };
  });
  const sorted = rows.sort((a, b) => a.status - b.status).map(({ row }) => row);
  const head = ["| Status | `error` | When | What to do |", "|---|---|---|---|"];
  matchesTable("docs/reference/errors.md", "## All codes", [...head, ...sorted]);
});

test("the client's routes are those of the contracts", () =>
  matchesGolden("../../src/client/routes.ts", routesFile));

test("the client for Python is folded from the contracts", () =>
  matchesGolden("../../clients/python/cairn.py", pythonClient()));

test("every route of the catalogue is an operation of the document, and the reverse", () => {
  const documented = Object.entries(Object(openapi["paths"])).flatMap(([path, methods]) =>
    Object.keys(Object(methods)).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const listed = catalogue.routes.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(listed, documented);
});

test("the document tells of every refusal, and of tokens only where they are looked at", () => {
  const { paths, components } = JSON.parse(JSON.stringify(openapi));
  for (const { method, path, auth, errors, name } of registry) {
    const operation = paths[`/api/v1${path}`.replace(/\/$/, "")][method.toLowerCase()];
    const answer = (status: number) => {
      const { $ref, ...own } = operation.responses[status] ?? {};
      return $ref ? components.responses[$ref.split("/").at(-1)] : own;
    };
    for (const code of errors)
      assert(
        answer(ERRORS[code].status).content["application/json"].examples[code],
        `${name} ${code}`,
      );
    assert.equal(operation.security.length > 0, auth !== "none", name);
    assert.equal("WWW-Authenticate" in (answer(401).headers ?? {}), auth === "required", name);
    assert("Retry-After" in answer(429).headers && "Retry-After" in answer(503).headers, name);
    assert.equal(413 in operation.responses, method === "POST", name);
  }
});

const DOCUMENT_MAX = {
  max: 690_000,
  at: "test/wire.test.ts",
  because: "Readers hold it whole: name shapes that are printed often, and shorten descriptions.",
};

test("every operation is described, every POST declares its body, and somebody can be reached", () => {
  const { paths, info } = JSON.parse(JSON.stringify(openapi));
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(Object(methods))) {
      const { summary, description, requestBody } = Object(operation);
      assert.match(description, /^[A-Z0-9].*\.$/, `${method} ${path}`);
      assert.ok(description.startsWith(`${summary} `), `some read it alone: ${method} ${path}`);
      assert.equal(requestBody !== undefined, method === "post", `${method} ${path}`);
    }
  const bytes = Buffer.byteLength(JSON.stringify(openapi));
  within("bytes of the OpenAPI document", bytes, DOCUMENT_MAX);
  const { required, content } = paths["/api/v1/coin/claim"].post.requestBody;
  assert.deepEqual([required, content["application/json"].schema.type], [false, "object"]);
  assert.deepEqual(Object.keys(info.contact), ["name", "url"]);
  const parts = { baseUrl, version: "1", contact: "mailto:ada@example.org" };
  assert.equal(Object(openapiDocument(registry, parts)["info"]).contact.email, "ada@example.org");
});

test("an entry of /since is one of the known kinds, or any other", () => {
  const ajv = new Ajv2020({ strict: false });
  const { components } = JSON.parse(JSON.stringify(openapi));
  const isA = (name: string, entry: object) =>
    ajv.validate({ $ref: `#/components/schemas/${name}`, components }, entry);
  const body = { post_id: 1, agent: "ag_pipzc3ygn2h6zg7hqe34", body_sha256: "00" };
  const post = { id: 7, kind: "post", ref: "1", at: 1, body, text: { body: "Hello." } };
  assert(isA("LedgerEntry_post", post));
  assert(!isA("LedgerEntry_post", { ...post, kind: "claim" }));
  assert(!isA("LedgerEntry_post", { ...post, body: { ...body, post_id: "1" } }));
  const { id, ...unnumbered } = post;
  assert(!isA("LedgerEntry_post", unnumbered));
  assert(isA("LedgerEntry", { ...post, kind: "a_newer_one" }));
});

test("every answer in JSON has an example, which its schema accepts", () => {
  const ajv = new Ajv2020({ strict: false });
  const { paths, components } = JSON.parse(JSON.stringify(openapi));
  for (const { method, path, status = 200, name } of registry) {
    const operation = paths[`/api/v1${path}`.replace(/\/$/, "")][method.toLowerCase()];
    const { schema, example } = operation.responses[status].content["application/json"];
    const isRight = ajv.compile({ ...schema, components });
    assert(isRight(example), `${name}: ${ajv.errorsText(isRight.errors)}`);
    assert(!isRight({ ...Object(example), ok: false }), name);
  }
});

test("the document is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(openapi));
  assert(valid, JSON.stringify(errors));
});

test("the document has no finding under redocly's recommended rules", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const findings = await lintFromString({
    source: JSON.stringify(openapi),
    absoluteRef: "openapi.json",
    config,
  });
  const lines = findings.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
  );
  assert.deepEqual(lines, []);
});

test("a running service serves exactly these documents", async (t) => {
  const service = await openTestService("sqlite", "documents");
  t.after(() => service.close());
  assert.deepEqual((await service.get("/openapi.json")).body, openapi);
  const { ok, server_time, start, ...served } = (await service.get("")).body;
  assert.deepEqual([ok, server_time], [true, START]);
  assert.deepEqual(served, catalogue);
  assert.deepEqual(start, startAt(registry, baseUrl));
  const textOf = async (path: string) => (await fetch(`${service.url}/api/v1/${path}`)).text();
  assert.equal(await textOf("skill.md"), skill);
  assert.equal(await textOf("llms.txt"), llms);
  assert.equal(await textOf("mcp/server-card"), JSON.stringify(card));
});

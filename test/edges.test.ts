import assert from "node:assert/strict";
import * as z from "zod";
import type { ErrorCode } from "../src/platform/kernel/contract/errors.ts";
import { normalized } from "../src/platform/kernel/contract/fields.ts";
import { DAY_S } from "../src/platform/kernel/time.ts";
import { fullPath } from "../src/surfaces/routing/base-path.ts";
import {
  call,
  conforms,
  entriesOf,
  type Fields,
  filled,
  inhabited,
  nameOf,
  operationsOf,
  REFUSED,
  requestOf,
  sampleOf,
  send,
  textOf,
} from "./edges.ts";
import { eachEngine } from "./service.ts";

eachEngine("an operation that needs a token does nothing without one", async (service) => {
  await inhabited(service);
  const before = await entriesOf(service);
  const wrong: readonly (readonly [string | undefined, ErrorCode])[] = [
    [undefined, "token_missing"],
    ["Bearer sk_short", "token_malformed"],
    [`Basic sk_${"0".repeat(48)}`, "token_malformed"],
    [`Bearer sk_${"0".repeat(48)}`, "token_unknown"],
  ];
  for (const operation of operationsOf(service).filter(({ auth }) => auth === "required")) {
    for (const [token, code] of wrong) {
      for (const fields of [sampleOf(operation), { body: 7, name: 7 }]) {
        const answer = await call(service, operation, fields, token);
        conforms(operation, answer, nameOf(operation));
        assert.equal(answer.body.error, code, nameOf(operation));
      }
    }
  }
  assert.equal(await entriesOf(service), before);
});

eachEngine(
  "an answer that is kept until data change says the same at any time",
  async (service) => {
    await inhabited(service);
    const timeless = operationsOf(service).filter((operation) => operation.timeless);
    assert.ok(timeless.length > 10);
    const answersNow = async (anew: number) => {
      const asking = timeless.map(async (operation) => {
        const { status, body } = await call(service, operation, { ...sampleOf(operation), anew });
        return [nameOf(operation), status, body];
      });
      return Promise.all(asking);
    };
    const before = await answersNow(1);
    for (const [name, status] of before) assert.equal(status, 200, name);
    service.pass(365 * DAY_S);
    assert.deepEqual(await answersNow(2), before);
  },
);

/** Values that hardly any field takes; a query carries their texts. */
const JUNK = [
  {},
  { a: [] },
  [[]],
  -1,
  1.5,
  1e300,
  true,
  null,
  "",
  "\u0000",
  "\u202e",
  "a".repeat(8_100),
];

eachEngine("a field that is junk is named in a 422", async (service) => {
  const token = await inhabited(service);
  const before = await entriesOf(service);
  for (const operation of operationsOf(service)) {
    for (const [name, schema] of Object.entries(operation.input.shape)) {
      if (operation.path.includes(`{${name}}`) || name === "payload") continue; // Any JSON is one.
      const carried = operation.method === "POST" ? JUNK : JUNK.map(textOf);
      const isJunk = (value: unknown): boolean => {
        const sent = normalized(operation, { ...sampleOf(operation), [name]: value });
        return name in sent && !z.safeParse(schema, Object(sent)[name]).success;
      };
      const junk = carried.filter(isJunk);
      assert.ok(junk.length >= 3, `${nameOf(operation)} ${name} takes nearly everything`);
      for (const value of junk) {
        const why = `${nameOf(operation)} ${name}=${JSON.stringify(value).slice(0, 50)}`;
        const fields = { ...sampleOf(operation), [name]: value };
        const answer = await call(service, operation, fields, token);
        conforms(operation, answer, why);
        assert.equal(answer.body.error, "validation_failed", why);
        const named = answer.body.details.map(
          ({ field }: { field: string }) => field.split(".")[0],
        );
        assert.ok(named.includes(name), why);
      }
    }
  }
  assert.equal(await entriesOf(service), before);
});

/** What nobody may set, with values that are found again wherever they come to lie. */
const PRIVILEGED: Fields = {
  id: 987_654_321,
  agent_id: "ag_privilegedprivileged",
  agent: 987_654_321,
  balance: 987_654_321,
  verified: true,
  flagged: "privileged",
  role: "privileged",
  created_at: 987_654_321,
  hidden: true,
  state: "privileged",
  unknown_field: "privileged",
};

eachEngine("fields that nobody may set are ignored", async (service) => {
  const token = await inhabited(service);
  for (const operation of operationsOf(service)) {
    const extra = Object.entries(PRIVILEGED).filter(([name]) => !(name in operation.input.shape));
    const fields = { ...Object.fromEntries(extra), ...sampleOf(operation), handle: "bob" };
    const answer = await call(service, operation, fields, token);
    conforms(operation, answer, nameOf(operation));
    const refused = operation.method === "POST" ? REFUSED[operation.path] : undefined;
    assert.equal(answer.body.error, refused, nameOf(operation));
    assert.doesNotMatch(JSON.stringify(answer.body), /987654321|privileged/, nameOf(operation));
  }
  await service.sequenced();
  for (const path of ["/since?after_id=0&limit=1000", "/feed", "/directory", "/agent/bob"]) {
    const { status, body } = await service.get(path);
    assert.equal(status, 200, path);
    assert.doesNotMatch(
      JSON.stringify(body),
      /987654321|privileged|"(banned|verified)":true/,
      path,
    );
  }
});

eachEngine("HEAD, OPTIONS, wrong methods and wrong paths are answered alike", async (service) => {
  const authorization = await inhabited(service);
  const byPath = Map.groupBy(operationsOf(service), fullPath);
  const patterns = [...byPath.keys()]
    .filter((template) => template.includes("{"))
    .map((template) => new RegExp(`^${template.replace(/\{\w+\}/, "[^/]+")}$`));
  for (const [template, operations] of byPath) {
    const known = operations.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : method));
    const allow = [...known, "OPTIONS"].join(", ");
    const path = filled(template);
    for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH"]) {
      if (known.includes(method)) continue;
      const answer = await send(service, path, { method });
      assert.equal(answer.headers.get("allow"), allow);
      assert.equal(answer.body.error, "method_not_allowed");
      for (const operation of operations) conforms(operation, answer, `${method} ${path}`);
    }
    const preflight = await send(service, path, { method: "OPTIONS" });
    assert.deepEqual([preflight.status, preflight.body], [204, null]);
    assert.equal(preflight.headers.get("allow"), allow);
    assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
    assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /authorization/);
    for (const wrong of [`${path}/`, `${path}/x`, `${path}x`, path.toUpperCase()]) {
      if (patterns.some((pattern) => pattern.test(wrong))) continue;
      const { status, body } = await send(service, wrong, {});
      assert.deepEqual([status, body.ok, body.error], [404, false, "not_found"], wrong);
    }
  }
  for (const operation of operationsOf(service).filter(({ method }) => method === "GET")) {
    const { path, init } = requestOf(operation, sampleOf(operation), authorization);
    const read = await send(service, path, init);
    const head = await send(service, path, { ...init, method: "HEAD" });
    assert.deepEqual([head.status, head.body], [200, null], path);
    for (const name of ["content-type", "etag", "cache-control"])
      assert.equal(head.headers.get(name), read.headers.get(name), `${path} ${name}`);
    if (operation.path !== "/challenge")
      assert.equal(head.headers.get("content-length"), read.headers.get("content-length"), path);
  }
});

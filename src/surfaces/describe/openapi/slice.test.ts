import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { openTestService } from "../../../../test/service.ts";
import { openapiDocument, openapiSteps } from "./document.ts";

let service: Awaited<ReturnType<typeof openTestService>>;

before(async () => {
  service = await openTestService("sqlite", "slices");
});
after(() => service.close());

const fetched = async (path: string) => {
  const answer = await fetch(service.url + path);
  return { status: answer.status, text: await answer.text() };
};

test("one tag of the interface is a whole document, and an unknown one is told the others", async () => {
  const whole = JSON.parse((await fetched("/openapi.json")).text);
  const tags: string[] = whole.tags.map(({ name }: { name: string }) => name);
  const seen: string[] = [];
  const validator = new Validator(); // It compiles the schema of OpenAPI once.
  for (const tag of tags) {
    const { text } = await fetched(`/api/v1/openapi.json?tag=${tag}`);
    const slice = JSON.parse(text);
    assert((await validator.validate(structuredClone(slice))).valid, tag);
    for (const [, section = "", name = ""] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g))
      assert(name in slice.components[section], `${tag} ${name}`);
    for (const [path, methods] of Object.entries(slice.paths))
      for (const [method, operation] of Object.entries(Object(methods))) {
        assert.deepEqual(operation, whole.paths[path][method]);
        assert.deepEqual(Object(operation).tags, [tag]);
        seen.push(`${method} ${path}`);
      }
  }
  const all = Object.entries(whole.paths).flatMap(([path, methods]) =>
    Object.keys(Object(methods)).map((method) => `${method} ${path}`),
  );
  assert.deepEqual(seen.sort(), all.sort());
  for (const path of ["/api/v1/openapi.json?tag=zzz", "/api/v1?tag=zzz"]) {
    const { status, text } = await fetched(path);
    const { error, details } = JSON.parse(text);
    assert.deepEqual([status, error, details[0].field], [422, "validation_failed", "tag"]);
    for (const tag of tags) assert(details[0].problem.includes(tag), tag);
  }
  assert.equal((await fetched("/openapi.json?tag=feed&tag=coin")).status, 422);
});

test("the catalogue shows the routes of one tag", async () => {
  const { routes, tags, count } = JSON.parse((await fetched("/api/v1")).text);
  assert.equal(count, routes.length);
  const all = await Promise.all(
    tags.map(async (tag: string) => JSON.parse((await fetched(`/api/v1?tag=${tag}`)).text).routes),
  );
  const byPath = (list: { path: string; method: string }[]) =>
    list.map(({ path, method }) => `${path} ${method}`).sort();
  assert.deepEqual(byPath(all.flat()), byPath(routes));
});

test("the interface is made in steps, one for each operation", () => {
  const { registry } = service.service;
  const parts = { baseUrl: "http://127.0.0.1:8080", version: "1", contact: null };
  const steps = openapiSteps(registry, parts);
  let taken = 0;
  for (let next = steps.next(); next.done !== true; next = steps.next()) taken++;
  assert.equal(taken, registry.length + 1);
  const again = openapiSteps(registry, parts);
  let last = again.next();
  while (last.done !== true) last = again.next();
  assert.deepEqual(last.value, openapiDocument(registry, parts));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { within } from "../../../test/limits.ts";
import { operations } from "../../../test/registry.ts";
import { eachEngine } from "../../../test/service.ts";
import { fullPath } from "../routing/base-path.ts";
import { TAGS } from "./tags.ts";
import { typedWriteOf } from "./typed-writes.ts";

eachEngine("every part shows its writes with types, in few characters", async (service) => {
  for (const tag of TAGS) {
    const { status, body } = await service.get(`?tag=${tag}&types=1`);
    assert.equal(status, 200, tag);
    const text = JSON.stringify(body);
    within(`characters of ${tag}`, text.length, {
      max: 6_000,
      at: "src/surfaces/describe/typed-writes.ts",
      because: "A model reads it before its first write of a part: shorten summaries and examples.",
    });
    const { routes } = (await service.get(`?tag=${tag}`)).body;
    const own = routes.filter(
      ({ method, path, mcp_tool }: { method: string; path: string; mcp_tool: string | null }) =>
        method === "POST" && (tag !== "discovery" || mcp_tool !== null) && path !== "",
    );
    assert.deepEqual(
      body.writes.map(({ path }: { path: string }) => path).sort(),
      own.map(({ path }: { path: string }) => path).sort(),
      tag,
    );
    assert.deepEqual([body.routes, body.count], [[], body.writes.length]);
  }
  const { writes } = (await service.get("?tag=requests&types=true")).body;
  const answer = writes.find(({ path }: { path: string }) => path.endsWith("/request/answer"));
  assert.deepEqual(answer.fields, {
    request_id: "integer. A request.",
    answer: "text, 1 to 8000 characters. The work itself; public.",
    "kind?":
      '"answer" or "question" or "decline", else "answer". An answer, a question back to the asker, or a decline.',
  });
});

eachEngine("a part that is none, or no part, is refused with the list", async (service) => {
  for (const query of ["?tag=zzz&types=1", "?types=1", "?tag=zzz"]) {
    const { status, body } = await service.get(query);
    assert.deepEqual([status, body.error], [422, "validation_failed"], query);
    assert.match(body.details[0].problem, /one of .*feed.*requests/, query);
  }
  const { body } = await service.get("?tag=feed&types=0");
  assert.ok(body.routes.length > 0 && body.writes === undefined);
});

test("each example fits its write", () => {
  for (const operation of operations.filter(({ method }) => method === "POST")) {
    const { example, fields } = typedWriteOf(operation, fullPath(operation));
    assert.ok(operation.input.safeParse(example ?? {}).success, operation.name);
    const names = Object.keys(fields).map((name) => name.replace("?", ""));
    for (const name of Object.keys(example ?? {})) assert.ok(names.includes(name), name);
  }
});

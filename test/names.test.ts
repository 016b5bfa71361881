import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { connect } from "../src/client/index.ts";
import { RELEASED_NAMES } from "../src/client/released-names.ts";
import { openToolsOf } from "../src/surfaces/mcp/tools/tools.ts";
import { names } from "./names.ts";
import { registry } from "./registry.ts";
import { openapi } from "./wire.ts";

test("one name everywhere: the operation, its tool and the client's call", () => {
  const network = connect({ baseUrl: "http://127.0.0.1:1" });
  const calls = new Map(Object.entries(network));
  const ids = Object.values(Object(openapi["paths"])).flatMap((methods) =>
    Object.values(Object(methods)).map((operation) => Object(operation).operationId),
  );
  const listed = new Set(openToolsOf(registry, "full").map(({ tool }) => tool.name));
  for (const { id, tool, call, released } of names) {
    assert.match(id, /^[a-z]+(?:_[a-zA-Z]+)+$/);
    assert.equal(ids.filter((one) => one === id).length, 1, id);
    if (tool !== null) assert(tool === id && listed.has(tool), id);
    const at = (name: string) => {
      const [noun = "", verb = ""] = name.split(".");
      return Object(calls.get(noun))[verb];
    };
    if (call === null) continue;
    assert.equal(typeof at(call), "function", call);
    if (released !== null) assert.equal(at(released), at(call), released);
  }
  assert.equal(new Set(names.map(({ call, id }) => call ?? id)).size, names.length);
});

test("an operation that was not released has no second name in the client", () => {
  const { paths } = JSON.parse(
    readFileSync(new URL("golden/released/openapi.json", import.meta.url), "utf8"),
  );
  const released = new Set(
    Object.values(paths).flatMap((methods) =>
      Object.values(Object(methods)).map((operation) => Object(operation).operationId),
    ),
  );
  const strays = names.filter((one) => one.released !== null && !released.has(one.id));
  assert.deepEqual(strays, []);
  const present = new Set(names.map(({ call }) => call));
  const lost = Object.values(RELEASED_NAMES)
    .flatMap((keys): string[] => Object.values(keys))
    .filter((call) => !present.has(call));
  assert.deepEqual(lost, []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { openTestService } from "../../../test/service.ts";
import { countMembers } from "./json-members.ts";

test("members of objects are counted at any depth", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const written = JSON.stringify(value).replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
      assert.equal(countMembers(value), written.split(":").length - 1);
    }),
  );
});

test("MCP and A2A refuse a doubled name as REST does, in their own form", async (t) => {
  const service = await openTestService("sqlite", "doubled");
  t.after(() => service.close());
  const { token } = await service.register("ada");
  const bodies = [
    ["/api/v1/mcp", '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}', 400],
    [
      "/api/v1/a2a",
      '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"1","id":"2"}}',
      200,
    ],
  ] as const;
  for (const [path, body, expected] of bodies) {
    const answer = await fetch(service.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body,
    });
    const { error } = (await answer.json()) as { error: { code: number; message: string } };
    assert.deepEqual([answer.status, error.code], [expected, -32_700], path);
    assert.match(error.message, /^Parse error/);
  }
});

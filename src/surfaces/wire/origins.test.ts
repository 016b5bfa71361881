import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestService } from "../../../test/service.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { originsOf } from "./origins.ts";

type Sent = { readonly host?: string; readonly origin?: string };

const isTaken = (demand: () => void): boolean => {
  try {
    demand();
    return true;
  } catch (error) {
    assert.ok(error instanceof Rejection && error.code === "origin_not_allowed");
    return false;
  }
};

test("pages elsewhere and rebound names write to no network on loopback", () => {
  const local = originsOf("http://127.0.0.1:8080");
  const open = originsOf("https://cairn.example");
  const rows: readonly (readonly [Sent, local: boolean, open: boolean, own: boolean])[] = [
    [{ host: "127.0.0.1:8080" }, true, true, true],
    [{ host: "localhost" }, true, true, true],
    [{ host: "[::1]:9" }, true, true, true],
    [{ host: "localhost:" }, true, true, true],
    [{}, true, true, true], // HTTP/1.0, which no browser speaks.
    [{ host: "evil.example" }, false, true, true],
    [{ host: "127.0.0.1.evil.example" }, false, true, true],
    [{ host: "127.0.0.1", origin: "http://localhost:3000" }, true, true, false],
    [{ host: "127.0.0.1", origin: "http://evil.example" }, false, true, false],
    [{ host: "127.0.0.1", origin: "http://127.0.0.1.evil.example" }, false, true, false],
    [{ host: "127.0.0.1", origin: "null" }, false, false, false],
    [{ host: "127.0.0.1", origin: "file://" }, false, true, false],
    [{ host: "127.0.0.1", origin: "https://cairn.example" }, false, true, true],
  ];
  for (const [{ host, origin }, ...expected] of rows) {
    const fields = { host, origin } as Parameters<typeof local.demandWriter>[0];
    assert.deepEqual(
      [
        isTaken(() => local.demandWriter(fields)),
        isTaken(() => open.demandWriter(fields)),
        isTaken(() => open.demandOwn(fields)),
      ],
      expected,
      `${host} ${origin}`,
    );
  }
});

test("writes by REST and A2A are refused before all else, and reads are not", async (t) => {
  const service = await openTestService("sqlite", "origins");
  t.after(() => service.close());
  const { token } = await service.register("ada");
  const call = (path: string, method: string, headers: Record<string, string>) =>
    fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(method === "POST" && { body: "{}" }),
    });
  const count = async () => (await service.get("/stats")).body.agents;
  const before = await count();
  for (const origin of ["http://evil.example", "null"])
    for (const path of [
      "/api/v1/register",
      "/api/v1/post",
      "/api/v1/a2a",
      "/api/v1/a2a/rest/message:send",
    ]) {
      const answer = await call(path, "POST", { origin });
      const { error } = (await answer.json()) as { error: string };
      assert.deepEqual([answer.status, error], [403, "origin_not_allowed"], `${path} ${origin}`);
    }
  assert.equal(await count(), before);
  for (const origin of ["http://evil.example", "null"]) {
    assert.equal((await call("/api/v1/feed", "GET", { origin })).status, 200);
    assert.equal((await call("/api/v1/post", "OPTIONS", { origin })).status, 204);
  }
  assert.equal(
    (await call("/api/v1/register", "POST", { origin: "http://localhost:1" })).status,
    201,
  );
});

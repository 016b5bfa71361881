import assert from "node:assert/strict";
import { test } from "node:test";
import { contracts } from "../../contracts.ts";
import { fullPath } from "./base-path.ts";
import { nearRoutes } from "./near-routes.ts";

const OPERATIONS = Object.values(contracts).flatMap((domain) => Object.values(domain));
const destinations = [
  ...OPERATIONS.map((operation) => ({ method: operation.method, path: fullPath(operation) })),
  ...["/api/v1/mcp", "/api/v1/mcp/open", "/api/v1/a2a"].map((path) => ({ method: "POST", path })),
];

test("a path of another service leads to the route that does the same here", () => {
  const near = nearRoutes(destinations);
  const meant = (path: string, method = "GET") =>
    near(path, { method, began_ms: 0 }).map(
      (to) => `${to.method} ${to.path.replace("/api/v1", "")}`,
    );
  const cases: readonly (readonly [asked: string, first: readonly string[]])[] = [
    ["/api/v1/agents", ["GET /agent/{agent_id}", "GET /directory"]],
    ["/users", ["GET /agent/{agent_id}", "GET /directory"]],
    ["/people", ["GET /directory"]],
    ["/api/v1/Feed/", ["GET /feed"]],
    ["/api/v2/wallet", ["GET /coin"]],
    ["/fede", ["GET /feed"]],
    ["/nothing-like-this", []],
  ];
  for (const [asked, expected] of cases)
    assert.deepEqual(meant(asked).slice(0, expected.length || 3), expected, asked);
  assert.deepEqual(meant("/signup", "POST"), ["POST /register"]);
  for (const path of ["/api/v1/mcp/", "/mcp", "/sse", "/api/v1/MCP"])
    assert.deepEqual(meant(path, "POST"), ["POST /mcp"], path);
  assert.deepEqual(meant("/api/v1/mcp/open/", "POST"), ["POST /mcp/open"]);
  for (let n = 0; n < 100; n++) meant("/users");
  assert.deepEqual(meant("/users"), [], "beyond 100 a second there are none");
});

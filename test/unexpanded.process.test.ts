import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runOn } from "../src/cli/command/open-service.ts";
import { readWords } from "../src/cli/command/words.ts";
import { OPERATOR_COMMANDS } from "../src/cli/operator/operator-commands.ts";
import { contracts } from "../src/domains/contracts.ts";
import { LOOKS } from "../src/domains/operator/looks/looks.ts";
import { discovery } from "../src/surfaces/describe/catalogue.ts";
import { toolName } from "../src/surfaces/mcp/tools/tools.ts";
import { openConsole } from "./console-service.ts";
import { operations } from "./registry.ts";
import { openTestService } from "./service.ts";

/** `{market.get}`: a sentence of the source names an operation so, and each surface in its own words. */
const NAMED = new RegExp(
  `\\{(?:${[...Object.keys(contracts), "discovery"].join("|")})\\.\\w+\\}`,
  "g",
);
/** A new token would end the test's own. */
const ASKED = operations.filter(({ name }) => name !== "identity.rotateToken");
const NOBODY = ["nosuch", "999999"] as const;

const assertExpanded = (text: string, what: string) =>
  assert.deepEqual(text.match(NAMED), null, what);

test("each name in a sentence of the source is that of an operation", () => {
  const known = new Set([
    ...operations.map(({ name }) => name),
    ...Object.keys(discovery).map((key) => `discovery.${key}`),
  ]);
  const files = globSync("src/**/*.ts", { cwd: join(import.meta.dirname, "..") });
  const named = files.flatMap((path) =>
    [...readFileSync(join(import.meta.dirname, "..", path), "utf8").matchAll(NAMED)]
      .filter(({ index, input }) => input[index - 1] !== "$")
      .map(([name]) => name.slice(1, -1)),
  );
  assert.ok(named.length > 50);
  assert.deepEqual(
    named.filter((name) => !known.has(name)),
    [],
  );
});

/** Every field of an operation, with a value that names nothing. */
const filled = (input: { readonly shape: object }, value: string) =>
  Object.fromEntries(Object.keys(input.shape).map((name) => [name, value]));

test("no answer of the network and no page of the console shows the name of an operation", async (t) => {
  const console = await openConsole(t, "act");
  const { token } = (await console.post("/register", { handle: "ada" })).body;
  const base = `${console.service.url}/api/v1`;
  const json = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const read = async (url: string, init: RequestInit = {}) => {
    const answer = await fetch(url, init);
    const text = await answer.text();
    assertExpanded(text, `${init.method ?? "GET"} ${url} ${init.body ?? ""}`);
    return text;
  };
  const catalogue: { routes?: { path: string }[] } = JSON.parse(await read(base));
  assert.ok(catalogue);
  for (const path of ["skill.md", "llms.txt", "llms-full.txt", "openapi.json", "errors", "limits"])
    await read(`${base}/${path}`);
  for (const path of ["/llms.txt", "/robots.txt", "/.well-known/agent-card.json", "/nowhere"])
    await read(console.service.url + path);
  for (const { method, path, input } of ASKED)
    for (const value of NOBODY) {
      const url = base + path.replaceAll(/\{\w+\}/g, value);
      const fields = filled(input, value);
      if (method === "POST") {
        await read(url, { method, headers: json, body: JSON.stringify(fields) });
        await read(url, { method, headers: json, body: "{}" });
      } else await read(`${url}?wait_s=0`, { headers: json });
    }
  let id = 0;
  const call = (to: string, method: string, params: object) =>
    read(to, {
      method: "POST",
      headers: { ...json, accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }),
    });
  for (const method of ["tools/list", "resources/list", "resources/templates/list", "prompts/list"])
    await call(`${base}/mcp`, method, {});
  const listed = await call(`${base}/mcp`, "resources/list", {});
  const { resources } = JSON.parse(listed).result ?? assert.fail(listed);
  assert.ok(resources.length > 10);
  for (const { uri } of resources) await call(`${base}/mcp`, "resources/read", { uri });
  for (const operation of ASKED)
    for (const value of NOBODY) {
      const given = { name: toolName(operation), arguments: filled(operation.input, value) };
      await call(`${base}/mcp`, "tools/call", given);
    }
  for (const method of ["message/send", "tasks/get", "SendMessage", "nothing"])
    await call(`${console.service.url}/a2a`, method, { id: "nosuch", message: { parts: [] } });
  const { cookie, base: pages } = await console.session();
  for (const { name, operands = [] } of LOOKS)
    for (const value of ["nobody-here", "888888"]) {
      const query = new URLSearchParams(operands.map((operand) => [operand, value]));
      await read(`${pages}look/${name.replaceAll(" ", "-")}?${query}`, { headers: { cookie } });
    }
});

test("no command of the operator prints the name of an operation", async (t) => {
  const service = await openTestService("sqlite", "unexpanded");
  t.after(service.close);
  let refusals = 0;
  for (const command of OPERATOR_COMMANDS)
    for (const value of NOBODY)
      for (const filler of ["1", "R1", "0.01", "nosuch"]) {
        const { operands = [], input } = command;
        const required = Object.entries(input.shape).filter(
          ([name, field]) => !operands.includes(name) && !field.safeParse(undefined).success,
        );
        const options = required.flatMap(([name]) => [`--${name.replaceAll("_", "-")}`, filler]);
        const words = [...operands.map(() => value), ...options];
        try {
          const given = await readWords(command, words, process.env);
          if (given !== null) await runOn(service.service, command, given);
        } catch (error) {
          refusals++;
          assertExpanded(String(error), `cairn ${command.name} ${words.join(" ")}`);
        }
      }
  assert.ok(refusals > 100);
});

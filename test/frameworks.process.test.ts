import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { without } from "./beside.ts";
import { openTestService } from "./service.ts";

const JOURNEY = join(import.meta.dirname, "frameworks/journey.mjs");

/** What the models of a framework read, as `test/frameworks/journey.mjs` prints it. */
interface Journey {
  readonly tools: number;
  /** Fields that the framework shows without a type. */
  readonly typeless: readonly string[];
  readonly missing: string;
  readonly feed: string;
  readonly registered: boolean;
  readonly me: string;
  readonly trial: string;
  readonly error: string;
  readonly unknown: string;
  readonly strictly: {
    readonly tools: number;
    readonly typeless: readonly string[];
    readonly notStrict: readonly string[];
    readonly trial: string;
  };
  readonly simply: { readonly typeless: readonly string[]; readonly call: string };
  readonly trials: readonly string[];
}

/** The whole way of each framework's own client, without a model. */
async function travel(url: string): Promise<Readonly<Record<string, Journey>>> {
  const child = spawn(process.execPath, [JOURNEY, `${url}/api/v1/mcp`]);
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (err += chunk));
  const [code] = await once(child, "close");
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

test("frameworks list, read, try, fail, register and write at both doors, and their models are taught", {
  skip: without("frameworks"),
}, async () => {
  const service = await openTestService("sqlite", "frameworks");
  try {
    const found = await travel(service.url);
    assert.deepEqual(Object.keys(found).sort(), [
      "LangChain",
      "MCP SDK v1",
      "MCP SDK v2",
      "OpenAI Agents",
      "ai-sdk",
      "genai",
    ]);
    for (const [name, journey] of Object.entries(found)) {
      const { strictly, simply, trials } = journey;
      assert.deepEqual([journey.tools, strictly.tools], [27, 26], name);
      for (const { typeless } of [journey, strictly, simply]) assert.deepEqual(typeless, [], name);
      assert.deepEqual(strictly.notStrict, [], name);
      assert.match(journey.missing, /"token_missing".*Call register/, name);
      assert.ok(journey.registered, name);
      assert.match(journey.me, /"agent_id":"ag_/, name);
      assert.match(journey.feed, /"limit","problem":"is at most 100/, name);
      assert.match(journey.error, /"post_not_found"/, name);
      assert.match(journey.unknown, /`topik` is unknown here; did you mean topic\?/, name);
      assert.match(simply.call, /"posts":\[/, name);
      for (const trial of [journey.trial, strictly.trial, ...trials])
        assert.match(trial, /^\{"ok":true,"id":null,.*"dry_run":true/, `${name}: ${trial}`);
    }
    assert.equal((await service.get("/feed")).body.count, 0, "trials store nothing");
  } finally {
    await service.close();
  }
});

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { openTestService, type TestAgent } from "../service.ts";
import { proxyTo } from "./proxy.ts";

const MODULES = join(import.meta.dirname, "../../node_modules");
const SUITE = join(MODULES, "@modelcontextprotocol/conformance/dist/index.js");
const INSPECTOR = join(MODULES, ".bin/mcp-inspector");

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "cairn-mcp-"));
let service: Awaited<ReturnType<typeof openTestService>>;
let ada: TestAgent;
let proxy: Awaited<ReturnType<typeof proxyTo>>;

before(async () => {
  service = await openTestService("sqlite", "mcp");
  ada = await service.register("ada");
  await ada.post("/post", { body: "Hello." });
  proxy = await proxyTo(service.url, ada.token);
});

after(async () => {
  proxy.server.close();
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

for (const revision of ["2026-07-28", "2025-11-25"]) {
  test(`the official suite finds what is expected of ${revision}, and nothing else`, async () => {
    const expected = join(import.meta.dirname, `expected-${revision}.yml`);
    const args = ["server", "--url", `${proxy.url}/api/v1/mcp`, "--requirements", revision];
    args.push("--expected-failures", expected, "-o", join(folder, revision));
    const { stdout } = await run(process.execPath, [SUITE, ...args]).catch((error) => {
      assert.fail(`${error.stdout}`.slice(`${error.stdout}`.lastIndexOf("=== SUMMARY")));
    });
    assert.match(stdout, /Total: \d+ passed/);
  });
}

/** What the inspector prints; its exit code is 0 when nothing is wrong. */
async function inspect(...args: readonly string[]): Promise<string> {
  const url = `${service.url}/api/v1/mcp`;
  const header = ["--header", `Authorization: Bearer ${ada.token}`];
  const common = ["--cli", url, "--transport", "http", ...header, "--format", "json"];
  const { stdout } = await run(process.execPath, [INSPECTOR, ...common, ...args]);
  return stdout;
}

for (const era of ["modern", "legacy"]) {
  test(`the official inspector lists and calls tools in the ${era} era`, async () => {
    const list = await inspect("--protocol-era", era, "--method", "tools/list", "--strict");
    assert.match(list, /"feed_list"/);
    const call = ["--method", "tools/call", "--tool-name", "feed_list", "--tool-args-json", "{}"];
    assert.match(await inspect("--protocol-era", era, ...call), /Hello\./);
  });
}

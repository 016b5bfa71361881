import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type RunningService, startService } from "./process.ts";

const JOURNEY = join(import.meta.dirname, "python-journey.py");
const PYTHON = "python3";
/** From 3.8 on. */
const isThere = spawnSync(PYTHON, ["-c", "import sys; sys.exit(sys.version_info < (3, 8))"]);
const skip = isThere.status === 0 ? false : "there is no python3 of 3.8 or later";

let folder: string;
let service: RunningService;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "cairn-python-"));
  service = await startService({ CAIRN_DATA_DIR: join(folder, "data"), CAIRN_LOG_LEVEL: "error" });
});
after(async () => {
  await service.stop("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

test("the client that a network serves goes the whole way in Python", { skip }, async () => {
  const client = await fetch(`${service.url}/cairn.py`);
  writeFileSync(join(folder, "cairn.py"), await client.text());
  cpSync(JOURNEY, join(folder, "journey.py"));
  const reported = await new Promise<string>((resolve) => {
    const words = ["-W", "error", "journey.py", service.url];
    execFile(PYTHON, words, { cwd: folder }, (_, stdout, stderr) => resolve(stdout + stderr));
  });
  assert.equal(reported, "done\n");
});

/** Sends requests one after another with nothing but what Python has, under the name that it gives itself. */
const BARE = `
import json, sys
from urllib.request import Request, urlopen
token = None
for step in json.load(sys.stdin):
    headers = {} if token is None else {"Authorization": "Bearer " + token}
    data = None if step["data"] is None else step["data"].encode()
    if data: headers["Content-Type"] = "application/json"
    with urlopen(Request(step["url"], data, headers, method=step["method"])) as answer:
        said = json.load(answer)
    token = said.get("token", token)
    print(answer.status, said["ok"])
`;

/** The commands of a document, as far as a request has them. */
const requestsIn = (page: string) =>
  [...page.matchAll(/curl -sS.*/g)].map(([command]) => {
    const [url = ""] = /https?:\/\/[^\s'|]+/.exec(command) ?? [];
    const data = /-d '([^']*)'/.exec(command)?.[1] ?? (/-X POST/.test(command) ? "" : null);
    return { url, data, method: data === null ? "GET" : "POST" };
  });

test("the first steps of skill.md work with bare urllib", { skip }, async () => {
  const page = await (await fetch(`${service.url}/skill.md`)).text();
  const steps = requestsIn(page);
  assert.ok(steps.length >= 8, JSON.stringify(steps));
  const { stdout, stderr } = spawnSync(PYTHON, ["-W", "error", "-c", BARE], {
    input: JSON.stringify(steps),
    encoding: "utf8",
  });
  const lines = stdout.trim().split("\n");
  assert.deepEqual([lines.length, stderr], [steps.length, ""], stdout);
  for (const line of lines) assert.match(line, /^20[01] True$/);
});

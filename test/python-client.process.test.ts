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

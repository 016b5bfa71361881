import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";
import { runCairn, startService } from "./process.ts";
import { clientOf, ENGINES } from "./service.ts";
import { folderFor } from "./site.ts";

for (const workers of ["1", "2"])
  test(`a job that keeps failing is told, and takes nobody out of rotation: ${workers} process(es)`, {
    skip: !ENGINES.includes("sqlite"),
  }, async (t) => {
    const adminPort = String(await freePort());
    const dataDir = folderFor(t);
    const variables = {
      CAIRN_DATA_DIR: dataDir,
      CAIRN_ADMIN_PORT: adminPort,
      CAIRN_WORKERS: workers,
    };
    const service = await startService(variables);
    t.after(() => service.stop("SIGKILL"));
    const asked = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${adminPort}${path}`);
      const body: { ok: boolean; reasons: string[]; findings: Record<string, unknown>[] } =
        JSON.parse(await response.text());
      return { status: response.status, ...body };
    };
    // What every process reads each second, and no request does.
    const rename = (from: string, to: string) => {
      using database = new DatabaseSync(join(dataDir, "cairn.db"), { timeout: 10_000 });
      database.exec(`ALTER TABLE ${from} RENAME TO ${to}`);
    };
    await eventually(async () => (await asked("/readyz")).status === 200);
    rename("registration_pause", "elsewhere");
    await eventually(async () => (await asked("/healthz")).status === 503);
    const [health, ready] = [await asked("/healthz"), await asked("/readyz")];
    const words = /The job registration_pause has failed \d+ times in a row: .*no such table/;
    assert.match(health.reasons.join(), words);
    assert.deepEqual([ready.status, ready.ok, ready.reasons], [200, true, []]);
    const [finding, ...others] = ready.findings;
    assert.deepEqual([finding?.["state"], others], ["warning", []]);
    assert.match(String(finding?.["sentence"]), words);
    assert.ok(Number(finding?.["since"]) <= Date.now() / 1_000, "since its first failure");
    assert.equal((await clientOf(service.url).get("/feed")).status, 200);
    const doctor = await runCairn(["doctor", "--quick"], variables);
    assert.match(
      doctor.out,
      /^FAULT +service +The job registration_pause .*no such table.* Since /m,
    );
    assert.equal(doctor.code, 1);

    rename("elsewhere", "registration_pause");
    await eventually(async () => {
      const { status, findings } = await asked("/healthz");
      return status === 200 && findings.length === 0;
    });
    assert.deepEqual((await asked("/readyz")).findings, []);
  });

import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { freePort } from "./ports.ts";
import { eventually, times } from "./postgres-store.ts";
import { type RunningService, startService } from "./process.ts";
import { clientOf } from "./service.ts";
import { type Site, siteFor } from "./site.ts";

const WRITES = 40;

/** A service with an operators' listener, and what that says. */
interface Watched extends RunningService, ReturnType<typeof clientOf> {
  asked(page: "/healthz" | "/readyz"): Promise<[number, readonly string[]]>;
}

async function watched(
  t: TestContext,
  { variables }: Site,
  more: Readonly<Record<string, string>> = {},
): Promise<Watched> {
  const adminPort = String(await freePort());
  const service = await startService({ ...variables, CAIRN_ADMIN_PORT: adminPort, ...more });
  t.after(() => service.stop("SIGKILL"));
  const asked: Watched["asked"] = async (page) => {
    const answer = await fetch(`http://127.0.0.1:${adminPort}${page}`);
    const { reasons } = (await answer.json()) as { reasons: string[] };
    return [answer.status, reasons];
  };
  // With workers the network may be answered while the operators' port still says that it starts.
  await eventually(() =>
    asked("/readyz").then(
      ([, reasons]) => !reasons.includes("The service is starting."),
      () => false,
    ),
  );
  return { ...service, ...clientOf(service.url), asked };
}

/** Writes until another seal is signed. */
async function signedSeal({ get, post }: Watched, token: string): Promise<void> {
  const newest = async () => (await get("/seal?limit=1")).body.seals[0]?.seq ?? 0;
  const before = await newest();
  await Promise.all(times(WRITES, () => post("/post", { body: "kept" }, { token })));
  await eventually(async () => {
    const { seals } = (await get("/seal?limit=1")).body;
    return seals[0]?.seq > before && seals[0].signed;
  });
}

/** What a service has lost whose machine went down in the middle of its log. */
async function withHalfALog(t: TestContext): Promise<Site & { token: string }> {
  const site = await siteFor(t, "sqlite");
  const service = await watched(t, site);
  const { token } = (await service.post("/register")).body;
  await signedSeal(service, token);
  await signedSeal(service, token);
  await signedSeal(service, token);
  assert.equal(await service.stop("SIGKILL"), "SIGKILL");
  const log = join(site.dataDir, "cairn.db-wal");
  truncateSync(log, Math.floor(statSync(log).size / 2));
  return { ...site, token };
}

const LACKS = /^The database lacks seal \d+, which was signed\.$/;

for (const workers of ["1", "2"]) {
  test(`half a log is missed from the first request on [${workers} workers]`, async (t) => {
    const site = await withHalfALog(t);
    const service = await watched(t, site, { CAIRN_WORKERS: workers });
    for (const page of ["/healthz", "/readyz"] as const) {
      const [status, reasons] = await service.asked(page);
      assert.equal(status, 503);
      assert.match(reasons[0] ?? "", LACKS);
    }
    const answers = await Promise.all(times(16, () => service.post("/register")));
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.error], [503, "storage_unavailable"]);
      assert.match(body.message, /lacks seal/);
    }
    assert.equal((await service.get("/feed")).status, 200, "reads go on");
  });
}

test("a service with CAIRN_ON_LOST_SEALS=serve takes writes, and health still reports it", async (t) => {
  const site = await withHalfALog(t);
  const service = await watched(t, site, { CAIRN_ON_LOST_SEALS: "serve" });
  assert.equal((await service.post("/register")).status, 201);
  assert.equal((await service.asked("/readyz"))[0], 200);
  const [status, reasons] = await service.asked("/healthz");
  assert.equal(status, 503);
  assert.match(reasons[0] ?? "", LACKS);
});

test("a backup and a restore end it, although the copy was told of the loss", async (t) => {
  const site = await withHalfALog(t);
  const service = await watched(t, site);
  const file = join(site.dataDir, "cairn.db");
  const notice = new DatabaseSync(file, { readOnly: true });
  const reported = () => notice.prepare("SELECT state FROM signer_notice").get()?.["state"];
  await eventually(() => reported() === "database_behind");
  notice.close();
  const backup = join(site.dataDir, "copy.db");
  assert.equal((await site.run("backup", backup)).code, 0);
  assert.equal((await site.run("agent", "ban", "ada", "--reason", "No.")).code, 1);
  assert.equal(await service.stop("SIGTERM"), 0);
  const aside = join(site.dataDir, "aside");
  mkdirSync(aside);
  for (const suffix of ["", "-wal", "-shm"].filter((end) => existsSync(file + end)))
    renameSync(`${file}${suffix}`, join(aside, `cairn.db${suffix}`));
  const restored = await site.run("restore", backup, "--reason", "Half a log was lost.");
  assert.equal(restored.code, 0, restored.err);
  const again = await watched(t, site);
  assert.equal((await again.post("/register")).status, 201);
  assert.deepEqual(await again.asked("/readyz"), [200, []]);
  assert.deepEqual(await again.asked("/healthz"), [200, []]);
});

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Client } from "pg";
import { preparePostgres } from "../src/platform/db/postgres/store.ts";
import { dropPostgres, freshPostgres } from "./database.ts";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";

const isInstalled = (): boolean => {
  try {
    execFileSync("pgbouncer", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** The URL of a database behind a PgBouncer of its own, which ends with the test. */
async function bouncer(t: TestContext, mode: "session" | "transaction"): Promise<string> {
  const url = await freshPostgres();
  t.after(() => dropPostgres(url));
  const folder = mkdtempSync(join(tmpdir(), "cairn-bouncer-"));
  t.after(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  const { pathname, searchParams } = new URL(url);
  const name = pathname.slice(1);
  const port = await freePort();
  const users = join(folder, "users.txt");
  writeFileSync(users, '"postgres" "password"\n');
  const ini = join(folder, "pgbouncer.ini");
  writeFileSync(
    ini,
    `[databases]
${name} = host=${searchParams.get("host")} dbname=${name} user=postgres password=password
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
server_reset_query = DISCARD ALL
`,
  );
  // The server's socket is its owner's, and PgBouncer refuses root.
  const { uid } = statSync(searchParams.get("host") ?? "");
  const child = spawn("pgbouncer", [ini], { stdio: "ignore", uid });
  const ended = once(child, "close");
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const behind = `postgres://postgres:password@127.0.0.1:${port}/${name}`;
  await eventually(async () => {
    const client = new Client(behind);
    client.on("error", () => {});
    const reached = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end();
    return reached;
  });
  return behind;
}

const isAbsent = isInstalled() ? false : "PgBouncer is not installed";

test("a pooler in transaction mode ends the start with a sentence", {
  skip: isAbsent,
}, async (t) => {
  const url = await bouncer(t, "transaction");
  for (let n = 0; n < 5; n++)
    await assert.rejects(preparePostgres(url), /cannot be used: a pooler in transaction mode/);
});

test("a pooler in session mode, and none, are taken", { skip: isAbsent }, async (t) => {
  const url = await bouncer(t, "session");
  for (let n = 0; n < 5; n++) await preparePostgres(url);
  const direct = await freshPostgres();
  t.after(() => dropPostgres(direct));
  await preparePostgres(direct);
});

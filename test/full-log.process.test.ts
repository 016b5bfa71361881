import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openLog } from "../src/main/log.ts";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";

const ROOT = join(import.meta.dirname, "..");

/** Where a log may lead, as the descriptor of standard output; `ready` closes what reads it. */
const DESTINATIONS: Readonly<
  Record<string, (folder: string) => { readonly fd: number; readonly ready?: () => void }>
> = {
  "a full disk": () => ({ fd: openSync("/dev/full", "w") }),
  "a descriptor that cannot be written": () => ({ fd: openSync("/dev/null", "r") }),
  "a pipe whose reader is gone": (folder) => {
    const { fd, reader } = pipeIn(folder);
    return { fd, ready: () => closeSync(reader) };
  },
  "a pipe whose reader sleeps": (folder) => ({ fd: pipeIn(folder).fd }),
};

function pipeIn(folder: string): { readonly fd: number; readonly reader: number } {
  const path = join(folder, "pipe");
  assert.equal(spawnSync("mkfifo", [path]).status, 0);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { fd: openSync(path, "w"), reader };
}

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "cairn-full-log-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** More than a pipe holds. */
const REQUESTS = 600;

for (const [name, destination] of Object.entries(DESTINATIONS))
  for (const workers of name === "a full disk" ? ["1", "2"] : ["1"])
    test(`a log into ${name} stops nothing: ${workers} process(es)`, async (t) => {
      const folder = folderFor(t);
      const { fd, ready } = destination(folder);
      const [port, adminPort] = [String(await freePort()), String(await freePort())];
      const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
      const words = ["serve", "--port", port, "--admin-port", adminPort, "--workers", workers];
      const service = spawn(process.execPath, ["bin/cairn.mjs", ...words], {
        cwd: ROOT,
        env: { PATH, HOME, NODE_COMPILE_CACHE, CAIRN_DATA_DIR: join(folder, "data") },
        stdio: ["ignore", fd, "pipe"],
      });
      t.after(() => service.kill("SIGKILL"));
      closeSync(fd);
      const said = service.stderr?.toArray();
      const ended = once(service, "exit");
      const ask = (at: string, path: string) => fetch(`http://127.0.0.1:${at}${path}`);
      const answers = () =>
        ask(port, "/api/v1/limits").then(
          ({ ok }) => ok,
          () => false,
        );
      await eventually(answers);
      ready?.();
      for (let i = 0; i < REQUESTS; i++) assert.ok(await answers());
      const metrics = async () => (await ask(adminPort, "/metrics")).text();
      if (name !== "a pipe whose reader sleeps") {
        await eventually(async () => /^cairn_log_lines_dropped_total [1-9]/m.test(await metrics()));
        const health = await ask(adminPort, "/healthz");
        const { findings } = (await health.json()) as { findings: { name: string }[] };
        assert.deepEqual([health.status, findings.map((each) => each.name)], [503, ["log"]]);
      }
      assert.ok((await ask(adminPort, "/readyz")).ok);
      service.kill("SIGTERM");
      assert.deepEqual(await ended, [0, null]);
      assert.deepEqual((await said)?.join(""), "");
    });

test("a reader that sleeps loses the newest lines, and learns how many", async (t) => {
  const folder = folderFor(t);
  const { fd, reader } = pipeIn(folder);
  const log = openLog({ level: "info", format: "json", to: fd });
  const text = "x".repeat(1_000);
  const sent = 6_000;
  for (let i = 0; i < sent; i++) log.info({ i, text }, "line");
  await eventually(() => log.fault() === "its reader is too slow");
  const dropped = log.dropped();
  assert.ok(dropped > 1_000 && dropped < sent - 1_000);
  const cat = spawn("cat", [join(folder, "pipe")]);
  t.after(() => cat.kill());
  let printed = "";
  cat.stdout.on("data", (chunk) => (printed += chunk));
  await eventually(() => printed.endsWith(`"lines":${dropped},"msg":"log lines were dropped"}\n`));
  const read = printed
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(log.fault(), null);
  assert.deepEqual(
    read.slice(0, -1).map(({ i }) => i),
    Array.from({ length: sent - dropped }, (_, i) => i),
  );
  closeSync(reader);
});

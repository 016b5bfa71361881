import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "./ports.ts";

const run = promisify(execFile);

/** Where the programs of Debian's package `torchwood` are: in PATH, or where it was extracted. */
const FOLDERS = [
  process.env["TORCHWOOD_BIN"] ?? "",
  ...(process.env["PATH"] ?? "").split(delimiter),
];
const bin = FOLDERS.find((folder) => folder !== "" && existsSync(join(folder, "litewitness")));

/** Why no litewitness is here; null where one is. */
export const NO_LITEWITNESS =
  bin === undefined
    ? "SKIPPED: litewitness (Debian's torchwood) is not here; name its folder in TORCHWOOD_BIN"
    : null;

const WATCHDOG_MS = 60_000;

/** Resolves once a server of this machine answers. */
async function reachable(url: string): Promise<string> {
  const end = Date.now() + WATCHDOG_MS;
  for (;;) {
    try {
      return await (await fetch(url)).text();
    } catch (error) {
      if (Date.now() > end) throw error;
      await setTimeout(50);
    }
  }
}

/** Starts litewitness with a key of its own; it knows the log's origin, and its key once told. */
export async function litewitness(t: TestContext, origin: string) {
  assert(bin !== undefined);
  const folder = await mkdtemp(join(tmpdir(), "cairn-litewitness-"));
  const socket = join(folder, "agent");
  const [db, key] = [join(folder, "witness.db"), join(folder, "key")];
  const ctl = (...words: string[]) => run(join(bin, "witnessctl"), words);
  await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" });
  const end = Date.now() + WATCHDOG_MS;
  while (!existsSync(socket) && Date.now() < end) await setTimeout(50);
  await run("ssh-add", ["-q", key], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
  const { stdout } = await run("ssh-keygen", ["-l", "-f", key]);
  const [, fingerprint = ""] = stdout.split(" ");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const words = ["-ssh-agent", socket, "-name", "lite.example/w", "-key", fingerprint];
  let running: ChildProcess | null = null;
  async function start(): Promise<string> {
    const all = [...words, "-db", db, "-listen", `127.0.0.1:${port}`];
    running = spawn(join(bin ?? "", "litewitness"), all, { stdio: "ignore" });
    return reachable(`${url}/`);
  }
  async function stop(): Promise<void> {
    if (running === null) return;
    const ended = once(running, "close");
    running.kill();
    running = null;
    await ended;
  }
  await ctl("add-log", "-db", db, "-origin", origin);
  t.after(async () => {
    await stop();
    agent.kill();
    await rm(folder, { recursive: true, force: true });
  });
  const page = (await start()).replaceAll("&#43;", "+").replaceAll("&#61;", "=");
  const [vkey = ""] = /lite\.example\/w\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+/.exec(page) ?? [];
  const policyFile = join(folder, "policy");
  writeFileSync(policyFile, `witness lite ${vkey} ${url}\nquorum lite\n`);
  return {
    url,
    vkey,
    policyFile,
    start,
    stop,
    async learn(logKey: string): Promise<void> {
      await stop();
      await ctl("add-key", "-db", db, "-origin", origin, "-key", logKey);
      await start();
    },
  };
}

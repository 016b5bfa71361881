import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import * as z from "zod";
import { connect, type Network } from "../src/client/index.ts";
import type { Order, Tally } from "./load.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The process that sends requests, and the one that answers them without any work. */
export interface Tools {
  load(order: Order): Promise<Tally>;
  /** Makes `answer` the body of every answer of the bare server; resolves to its port. */
  bare(answer: string): Promise<number>;
  stop(): void;
}

export function startTools(): Tools {
  const load = fork(new URL("./load.ts", import.meta.url));
  const bare = fork(new URL("./bare.ts", import.meta.url));
  return {
    load: (order) => ask<Tally>(load, order),
    bare: (answer) => ask<number>(bare, answer),
    stop() {
      load.kill();
      bare.kill();
    },
  };
}

/** Resolves to the next message of a child, which answers one question at a time. */
function ask<T>(child: ChildProcess, question: Order | string): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error("A process of the bench has ended early."));
    child.once("exit", onExit);
    child.once("message", (answer) => {
      child.off("exit", onExit);
      resolve(answer as T);
    });
    child.send(question);
  });
}

/** A running network. */
export interface Cairn {
  readonly port: number;
  readonly network: Network;
  /** From the start of the process to its first answer. */
  readonly started_ms: number;
  /** The body of a public read. */
  read(path: string): Promise<string>;
  /** The body of the answer to a POST; `path` is below `/api/v1`. */
  write(path: string, token: string, fields: object): Promise<string>;
  /** Resident memory of the process; NaN where there is no /proc. */
  memory_mb(): number;
  /** What the process has used of a core so far, in seconds; NaN where there is no /proc. */
  cpu_s(): number;
  /** Resolves when the check of the ledger, which begins at the start, is done. */
  settled(): Promise<void>;
  /** Resolves when the process has used next to nothing of a core for 1.5 s. */
  quiet(): Promise<void>;
  stop(): Promise<void>;
}

const START_WAIT_MAX_MS = 30_000;
const ASK_EVERY_MS = 5;
const LOOK_EVERY_MS = 500;

/** A service is quiet when it used no more in so many looks one after another, longer than a seal takes to come. */
const QUIET_LOOKS = 3;
const QUIET_CPU_S = 0.03;

const scripts = z.object({ scripts: z.object({ start: z.string() }) });

/** The command behind `npm start` of a checkout. The shell becomes it, so the process is the service. */
function startOf(checkout: URL): string {
  const text = readFileSync(new URL("package.json", checkout), "utf8");
  const { start } = scripts.parse(JSON.parse(text)).scripts;
  return `${/\bexec\b/.test(start) ? "" : "exec "}${start} "$@"`;
}

const OURS = new URL("..", import.meta.url);

/**
 * Runs `cairn serve` of a checkout on a data folder; resolves when it has answered for the first
 * time.
 */
export async function startCairn(
  dataDir: string,
  more: readonly string[] = [],
  checkout = OURS,
): Promise<Cairn> {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const network = connect({ baseUrl });
  const flags = ["--port", String(port), "--admin-port", "0", "--data-dir", dataDir, ...more];
  const began_ms = performance.now();
  const child = spawn("sh", ["-c", startOf(checkout), "sh", ...flags], {
    cwd: checkout,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  while (!(await answers(`${baseUrl}/api/v1`))) {
    if (child.exitCode !== null || performance.now() - began_ms > START_WAIT_MAX_MS) {
      throw new Error("`cairn serve` does not answer.");
    }
    await pause(ASK_EVERY_MS);
  }
  return {
    port,
    network,
    started_ms: performance.now() - began_ms,
    async read(path) {
      const response = await fetch(baseUrl + path);
      if (!response.ok) throw new Error(`GET ${path} is ${response.status}.`);
      return response.text();
    },
    async write(path, token, fields) {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(fields) };
      const response = await fetch(`${baseUrl}/api/v1${path}`, init);
      if (!response.ok) throw new Error(`POST ${path} is ${response.status}.`);
      return response.text();
    },
    memory_mb: () => residentOf(child.pid),
    cpu_s: () => usedOf(child.pid),
    async settled() {
      const isDone = async () => {
        const { total, verified_through_seq } = await network.seal.list({ limit: 1 });
        return verified_through_seq === total;
      };
      while (!(await isDone())) await pause(LOOK_EVERY_MS);
    },
    async quiet() {
      for (let looks = 0; looks < QUIET_LOOKS; looks++) {
        const before_s = usedOf(child.pid);
        await pause(LOOK_EVERY_MS);
        if (usedOf(child.pid) - before_s > QUIET_CPU_S) looks = -1;
      }
    },
    async stop() {
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
      process.off("exit", kill);
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false; // It does not listen yet.
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function residentOf(pid: number | undefined): number {
  try {
    const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kib) / 1_024;
  } catch {
    return Number.NaN;
  }
}

const TICKS_PER_S = 100;

/** User and system time, which are the 12th and 13th field behind the name (proc(5)). */
export function usedOf(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ");
    return (Number(fields?.[11]) + Number(fields?.[12])) / TICKS_PER_S;
  } catch {
    return Number.NaN;
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Program } from "../process.ts";

const MIB_KB = 1024;
const LOOK_EVERY_MS = 20;

/** What a client's process cost. */
export interface Cost {
  readonly seconds: number;
  /** The largest resident memory (VmHWM), in MiB; null where the platform does not tell. */
  readonly peak_MB: number | null;
}

export interface Ran extends Cost {
  /** The exit code, or the signal that ended it. */
  readonly exit: number | string | null;
  readonly out: string;
  readonly err: string;
}

/** The peak of a process so far, in MiB; null where it is gone or the platform does not tell. */
export function peakOf({ pid }: Pick<ChildProcess, "pid">): number | null {
  try {
    const found = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return found === null ? null : Number(found[1]) / MIB_KB;
  } catch {
    return null;
  }
}

/** From here on the peak of a process is measured anew. */
export function forgetPeak({ pid }: Pick<ChildProcess, "pid">): void {
  const path = `/proc/${pid}/clear_refs`;
  if (existsSync(path)) writeFileSync(path, "5");
}

interface Running {
  readonly variables?: Readonly<Record<string, string>>;
  /** For standard input, which then ends. */
  readonly input?: string;
  /** After this it is killed, and its exit is `SIGKILL`. */
  readonly patience_ms?: number;
}

/** Runs one client in a process of its own until it ends. */
export async function measured(
  [file, ...words]: Program,
  args: readonly string[],
  { variables = {}, input = "", patience_ms = 60_000 }: Running = {},
): Promise<Ran> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const began = performance.now();
  const env = { PATH, HOME, NODE_COMPILE_CACHE, ...variables };
  const child = spawn(file, [...words, ...args], { env, stdio: "pipe" });
  let [out, err] = ["", ""];
  let peak_MB: number | null = null;
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (err += chunk));
  child.stdin.on("error", () => {}).end(input);
  const looking = setInterval(() => {
    peak_MB = peakOf(child) ?? peak_MB;
  }, LOOK_EVERY_MS);
  const late = setTimeout(() => child.kill("SIGKILL"), patience_ms);
  const [code, signal] = await once(child, "close");
  clearInterval(looking);
  clearTimeout(late);
  return { exit: code ?? signal, seconds: (performance.now() - began) / 1000, peak_MB, out, err };
}

/** One line of the table: a client in a mode. */
export interface Row extends Cost {
  readonly client: string;
  readonly mode: string;
  /** An exit code, or the code of an error. */
  readonly exit: number | string | null;
}

/** The rows as a table: client, mode, exit, seconds, peak MiB. */
export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ client, mode, exit, seconds, peak_MB }) => [
    client,
    mode,
    String(exit),
    seconds.toFixed(2),
    peak_MB === null ? "-" : peak_MB.toFixed(0),
  ]);
  const all = [["client", "mode", "exit", "seconds", "peak_MB"], ...cells];
  const widths = all[0]?.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0))) ?? [];
  return all
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

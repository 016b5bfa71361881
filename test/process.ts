import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { endOf } from "../src/cli/command/runner.ts";
import { commandIn } from "../src/cli/commands.ts";
import { freePort } from "./ports.ts";

const ROOT = join(import.meta.dirname, "..");
const START_PATIENCE_MS = 120_000;

/** A service in a process of its own, as an operator starts it. */
export interface RunningService {
  readonly url: string;
  /** Of the PostgreSQL that it has; empty when it has a file. */
  readonly databaseUrl: string;
  readonly process: ChildProcess;
  /** Everything that it has printed. */
  output(): string;
  /** Resolves to the exit code, or to the name of the signal that ended it. */
  stop(signal: NodeJS.Signals): Promise<number | string | null>;
}

/** A program and the words before the command, such as Node and the file that it runs. */
export type Program = readonly [string, ...string[]];

/** `cairn` of this checkout; in a run of all tests it is what the package holds, made by `packages/test.ts`. */
export const CAIRN = process.env["TEST_CAIRN"] ?? join(ROOT, "src/cli/cairn.ts");
export const OURS: Program = [process.execPath, CAIRN];

/** Runs a command of `cairn` and resolves when it has ended. */
export async function runCairn(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  program = OURS,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawnCairn(args, variables, program);
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk) => (out += chunk));
  child.stderr?.on("data", (chunk) => (err += chunk));
  const [code] = await once(child, "close");
  return { code, out, err };
}

/** The same within this process: a process takes longer to start than most commands take to run. */
export async function runHere(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<{ code: number; out: string; err: string }> {
  const found = await commandIn(args);
  if (found === null) throw new Error(`There is no command ${args[0]}.`);
  const { exit_code, stream, text, printed } = await endOf(found.command, found.rest, variables);
  await printed?.();
  const said = text === "" ? "" : `${text}\n`;
  return { code: exit_code, out: "", err: "", [stream === "stdout" ? "out" : "err"]: said };
}

/** Starts `cairn serve` on a free port; resolves when it answers. Rejects when it ends instead. */
export async function startService(
  variables: Readonly<Record<string, string>>,
  program = OURS,
): Promise<RunningService> {
  const port = await freePort();
  const child = spawnCairn(
    ["serve", "--port", String(port)],
    { CAIRN_ADMIN_PORT: "0", ...variables },
    program,
  );
  let printed = "";
  child.stdout?.on("data", (chunk) => (printed += chunk));
  child.stderr?.on("data", (chunk) => (printed += chunk));
  const ended = once(child, "close");
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([
    answers(url),
    ended.then(() => Promise.reject(new Error(`The service ended:\n${printed}`))),
  ]);
  return {
    url,
    databaseUrl: variables["CAIRN_DATABASE_URL"] ?? "",
    process: child,
    output: () => printed,
    async stop(signal) {
      child.kill(signal);
      const [code, by] = await ended;
      return code ?? by;
    },
  };
}

export function spawnCairn(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  [file, ...words] = OURS,
) {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return spawn(file, [...words, ...args], {
    cwd: ROOT,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function answers(url: string): Promise<void> {
  const patience = performance.now() + START_PATIENCE_MS;
  for (;;) {
    try {
      await fetch(`${url}/api/v1`).then((answer) => answer.arrayBuffer());
      return;
    } catch (error) {
      if (performance.now() > patience) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

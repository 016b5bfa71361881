import { spawn } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import * as z from "zod";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { semaphore } from "../../platform/kernel/pools/semaphore.ts";
import type { Scan } from "../../surfaces/console/parts.ts";
import type { Program } from "./runs.ts";

/** A look that takes longer is ended. Its process may take `start` before, because a busy machine starts it late. */
export const SCAN_MAX_MS = { start: 60_000, look: 10_000 };
const WAITING_MAX = 4;
const OUTPUT_MAX_BYTES = 4 * 1_024 * 1_024;
const LOW = 10;

const refusal = z.object({ error: z.string() });

/**
 * Looks that read whole tables, as processes of their own: one at a time and, from the moment that the
 * command says it begins (`process.send`), at low priority, so that no request waits for them. Rejects
 * with `overloaded` when one takes too long.
 */
export function scanner(program: Of, limits: typeof SCAN_MAX_MS): Scan {
  const one = semaphore({
    slots: 1,
    waiting_max: WAITING_MAX,
    onFull: () => {
      throw new Rejection("overloaded", "Too many searches wait. Try again in a moment.");
    },
  });
  return (words) => one.run(() => scan(program, words, limits));
}

type Of = Pick<Program, "words" | "environment">;

async function scan(
  { words: [file, ...first], environment: env }: Of,
  words: readonly string[],
  limits: typeof SCAN_MAX_MS,
): Promise<unknown> {
  const child = spawn(file, [...first, ...words], {
    env,
    stdio: ["ignore", "pipe", "ignore", "ipc"],
  });
  let ended: Error | null = null;
  const end = (why: Error) => {
    ended ??= why;
    child.kill("SIGKILL");
  };
  let timer = setTimeout(end, limits.start, TOO_LATE);
  child.once("message", () => {
    clearTimeout(timer);
    timer = setTimeout(end, limits.look, TOO_LONG);
    if (child.pid !== undefined) setPriority(child.pid, LOW);
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > OUTPUT_MAX_BYTES)
      end(new Error(`A look wrote more than ${OUTPUT_MAX_BYTES} bytes.`));
    else chunks.push(chunk);
  });
  const [code] = await once(child, "close").finally(() => clearTimeout(timer));
  if (ended !== null) throw ended;
  const written = Buffer.concat(chunks).toString();
  if (code === 0) return JSON.parse(written);
  throw refusedWith(new Error(`A look ended with exit code ${code}.`), written);
}

const TOO_LATE = new Rejection(
  "overloaded",
  "The search could not begin within a minute, because this machine is busy. Try again in a moment.",
);

const TOO_LONG = new Rejection(
  "overloaded",
  "The search was ended after 10 seconds. Look for a longer or rarer word.",
);

/** A command refuses in a sentence; anything else is a fault of ours. */
function refusedWith(error: Error, written: string): Error {
  try {
    return new Rejection("validation_failed", refusal.parse(JSON.parse(written)).error);
  } catch {
    return error;
  }
}

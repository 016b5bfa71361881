import { execFile } from "node:child_process";
import { setPriority } from "node:os";
import * as z from "zod";
import { Rejection } from "../../kernel/contract/errors.ts";
import { semaphore } from "../../kernel/pools/semaphore.ts";
import type { Scan } from "../../surfaces/console/parts.ts";
import type { Program } from "./runs.ts";

/** A look that takes longer is ended. */
export const SCAN_MAX_MS = 10_000;
const WAITING_MAX = 4;
const OUTPUT_MAX_BYTES = 4 * 1_024 * 1_024;
const LOW = 10;

const refusal = z.object({ error: z.string() });

/**
 * Looks that read whole tables, as processes of their own: one at a time, so that no request waits for
 * them. Rejects with `overloaded` when one takes too long.
 */
export function scanner(
  { words: [file, ...first], environment: env }: Pick<Program, "words" | "environment">,
  timeout: number,
): Scan {
  const one = semaphore({
    slots: 1,
    waiting_max: WAITING_MAX,
    onFull: () => {
      throw new Rejection("overloaded", "Too many searches wait. Try again in a moment.");
    },
  });
  const killSignal = "SIGKILL" as const;
  const limits = { env, timeout, killSignal, maxBuffer: OUTPUT_MAX_BYTES };
  return (words) =>
    one.run(
      () =>
        new Promise((resolve, reject) => {
          const child = execFile(file, [...first, ...words], limits, (error, stdout) => {
            if (error === null) return resolve(JSON.parse(stdout));
            reject(error.killed === true ? TOO_LONG : refusedWith(error, stdout));
          });
          if (child.pid !== undefined) setPriority(child.pid, LOW);
        }),
    );
}

const TOO_LONG = new Rejection(
  "overloaded",
  "The search was ended after 10 seconds. Look for a longer or rarer word.",
);

/** A command refuses in a sentence; anything else is a fault of ours. */
function refusedWith(error: Error, stdout: string): Error {
  try {
    return new Rejection("validation_failed", refusal.parse(JSON.parse(stdout)).error);
  } catch {
    return error;
  }
}

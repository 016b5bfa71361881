import { parentPort } from "node:worker_threads";
import {
  type Compiled,
  checkerOf,
  compile,
  type HeavyPart,
  type Misfit,
} from "../../domains/tasks/criterion-engines.ts";
import { COMPILED_CRITERIA_MAX, type Why } from "../../domains/tasks/rules.ts";
import type { Json } from "../../platform/kernel/canonical.ts";
import { verifySignature } from "../../platform/ledger/seals/ed25519.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";

/** What the worker is sent. */
export interface CheckJob {
  readonly part: HeavyPart;
  readonly payload: Json;
}

/** Its messages: the stage and the processor time used so far, then the result. */
export type CheckNews =
  | { readonly now: "compiles" | "checks"; readonly used: NodeJS.CpuUsage }
  | { readonly found: Why | Misfit };

const TOOLS = { sha256, verifySignature };
const compiled = new Map<string, Compiled>();

/** Compiled before, or now; those used longest ago are forgotten. */
function compiledOf(part: Parameters<typeof compile>[0]): Compiled {
  const key = JSON.stringify(part);
  const check = compiled.get(key) ?? compile(part);
  compiled.delete(key);
  compiled.set(key, check);
  for (const oldest of compiled.keys()) {
    if (compiled.size <= COMPILED_CRITERIA_MAX) break;
    compiled.delete(oldest);
  }
  return check;
}

const tell = (news: CheckNews): void => parentPort?.postMessage(news);
const begin = (now: "compiles" | "checks"): void => tell({ now, used: process.threadCpuUsage() });

// One check after another, in a thread that is ended from outside when one takes too long.
parentPort?.on("message", ({ part, payload }: CheckJob) => {
  try {
    begin("compiles");
    const check = checkerOf(part, TOOLS, compiledOf);
    begin("checks");
    tell({ found: check(payload) });
  } catch {
    tell({ found: "criterion_error" });
  }
});

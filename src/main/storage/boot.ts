import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { uptime } from "node:os";

const began_s = uptime();
const began_ms = performance.now();

/**
 * Seconds since the machine booted, those of its sleep included. A system that does not count sleep still counts
 * what the process has lived through.
 */
export const sinceBoot_s = (): number =>
  began_s + Math.max(uptime() - began_s, (performance.now() - began_ms) / 1_000);

const BOOT_ID = "/proc/sys/kernel/random/boot_id";

/** The name of this boot of the machine; each process has its own where the system gives none. */
export function bootOfMachine(): string {
  try {
    return readFileSync(BOOT_ID, "utf8").trim();
  } catch {
    return randomUUID();
  }
}

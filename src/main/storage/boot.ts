import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { uptime } from "node:os";

/** Clocks of the machine: seconds since it booted, its sleep included; milliseconds without that; the wall's. */
interface MachineClocks {
  uptime_s(): number;
  process_ms(): number;
  wall_ms(): number;
}

const MACHINE: MachineClocks = {
  uptime_s: uptime,
  process_ms: () => performance.now(),
  wall_ms: () => Date.now(),
};

/** The system is asked again after so long, or when the clocks of the process and the wall part by so much. */
const ASK_EVERY_MS = 1_000;
const PARTED_MS = 50;

/**
 * Seconds since the machine booted, those of its sleep included. A system that does not count sleep still counts
 * what the process has lived through. Asking the system takes 6 µs, and one request asks a dozen times: between
 * two readings the clock of the process counts. It stands still while the machine sleeps, and the wall's does not.
 */
export function bootClock({ uptime_s, process_ms, wall_ms }: MachineClocks): () => number {
  let read = { boot_s: uptime_s(), process_ms: process_ms(), wall_ms: wall_ms() };
  return () => {
    const now_ms = process_ms();
    const passed_ms = now_ms - read.process_ms;
    const counted_s = read.boot_s + passed_ms / 1_000;
    const now_wall_ms = wall_ms();
    const hasParted = Math.abs(now_wall_ms - read.wall_ms - passed_ms) > PARTED_MS;
    if (passed_ms < ASK_EVERY_MS && !hasParted) return counted_s;
    read = {
      boot_s: Math.max(uptime_s(), counted_s),
      process_ms: now_ms,
      wall_ms: now_wall_ms,
    };
    return read.boot_s;
  };
}

export const sinceBoot_s = bootClock(MACHINE);

const BOOT_ID = "/proc/sys/kernel/random/boot_id";

/** The name of this boot of the machine; each process has its own where the system gives none. */
export function bootOfMachine(): string {
  try {
    return readFileSync(BOOT_ID, "utf8").trim();
  } catch {
    return randomUUID();
  }
}

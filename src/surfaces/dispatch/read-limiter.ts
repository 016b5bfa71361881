import { reject } from "../../platform/kernel/contract/errors.ts";
import { PAGE_STEP } from "../../platform/kernel/contract/page.ts";
import { type Semaphore, semaphore } from "../../platform/kernel/pools/semaphore.ts";
import { IN_FLIGHT_MAX } from "../wire/in-flight-limit.ts";

/** Slots that small reads share; large pages share as many of their own. */
export const READ_SLOTS = 32;

/** Items of a page that take one slot. */
const ITEMS_PER_SLOT = 25;

/** The most items of a small read: a page of the usual length. */
const SMALL_ITEMS_MAX = 100;

/**
 * Large pages that are read at once. On the embedded engine a page of 1 MiB takes the event loop for some 25 ms,
 * and what is asked meanwhile waits for all of them.
 */
const LARGE_READS_MAX = 2;

/** What a read says of the page that it wants. */
interface Asked {
  readonly limit?: unknown;
  readonly inSteps?: true | undefined;
}

/** Gives the slots of a read back until what it waits for settles. */
export type Suspend = <T>(waiting: () => Promise<T>) => Promise<T>;

/**
 * Bounds how many reads are made at once. On the embedded engine reads wait only for themselves: all
 * that came in one turn of the event loop would go forward side by side, hold their rows and answers
 * at the same time, and keep everybody else waiting until the last one is done.
 */
export interface ReadLimiter {
  /**
   * Runs `work` with a slot for every 25 items that its input asks for, in the order of asking; a page
   * that is read in steps holds the items of one step. Large pages have slots of their own, so that
   * no small read waits behind many of them, and at most two of them go forward at once.
   */
  run<T>(asked: Asked, work: (suspend: Suspend) => Promise<T>): Promise<T>;
}

export function readLimiter(slots: number): ReadLimiter {
  const small = reads(slots);
  const large = reads(slots);
  return {
    run({ limit, inSteps }, work) {
      const items = typeof limit === "number" ? limit : 1;
      const held = inSteps === true ? Math.min(items, PAGE_STEP) : items;
      const isLarge = items > SMALL_ITEMS_MAX;
      const least = isLarge ? slots / LARGE_READS_MAX : 1;
      const as = { weight: Math.min(slots, Math.max(least, Math.ceil(held / ITEMS_PER_SLOT))) };
      const { run, suspend } = isLarge ? large : small;
      return run(() => work((waiting) => suspend(waiting, as)), as);
    },
  };
}

/** A read that had to wait begins in a later turn of the event loop: requests are answered in between. */
const reads = (slots: number): Semaphore =>
  semaphore({
    slots,
    waiting_max: IN_FLIGHT_MAX,
    onFull: () => reject("overloaded", "The service is busy. Send this again in a second."),
    defer: setImmediate,
  });

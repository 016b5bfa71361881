import type { SqliteConnection } from "./connection.ts";
import { isBusy, lockedOut } from "./errors.ts";

/** Another process has the lock for one batch, so it is asked for again soon, and given up late. */
const BUSY_PAUSE_MS = 2;
const BUSY_WAIT_MAX_MS = 5_000;
/** How long each further write waits for a lock that was given up once. */
const HELD_WAIT_MAX_MS = 250;
/** No process of ours has the lock for so long. */
const HELD_MIN_MS = 3_000;

const HELD = "Another program holds the write lock of the database.";

/** The lock that one process has for each of its transactions. */
export interface WriteLock {
  /** Begins a transaction. Rejects with `storage_unavailable` while another process does not let go. */
  take(): Promise<void>;
  /** Why writes wait, in a sentence, when another process has had the lock for seconds; else null. */
  refusal(): string | null;
}

export function writeLock({ database }: SqliteConnection): WriteLock {
  const begin = database.prepare("BEGIN IMMEDIATE");
  let isTaking = false;
  /** Since when the lock was asked for in vain; null after it was had. */
  let since: number | null = null;

  function isHad(): boolean {
    try {
      begin.run();
      since = null;
      return true;
    } catch (error) {
      if (!isBusy(error)) throw error;
      since ??= performance.now();
      return false;
    }
  }

  async function wait(): Promise<void> {
    const asked = performance.now();
    while (!isHad()) {
      const now = performance.now();
      const until = Math.max((since ?? now) + BUSY_WAIT_MAX_MS, asked + HELD_WAIT_MAX_MS);
      if (now > until) throw lockedOut();
      await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS));
    }
  }

  return {
    async take() {
      isTaking = true;
      await wait().finally(() => {
        isTaking = false;
      });
    },
    refusal() {
      if (since === null || performance.now() - since < HELD_MIN_MS) return null;
      if (isTaking || !isHad()) return HELD;
      database.exec("ROLLBACK"); // Nobody writes now; the lock was free.
      return null;
    },
  };
}

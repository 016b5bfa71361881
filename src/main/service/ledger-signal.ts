import type { ConcernWait, EntryWait, LedgerSignal } from "../../platform/context.ts";
import type { Waiter } from "../../platform/kernel/contract/operation.ts";
import { type KindsWithin, type NewestKinds, newestKinds } from "./newest-kinds.ts";
import { type Concerns, roomFor, type Wait } from "./wait-room.ts";

/** How soon an entry of another process is noticed. */
const LOOK_INTERVAL_MS = 50;

/** Readers that are woken in one turn of the event loop: others are answered in between. */
const WOKEN_AT_ONCE = 128;

/** A wait that makes room lasts so long all the same, so that clients which ask again do not spin. */
const SHORTEST_WAIT_MS = 2_000;

/** Entries that a reader leaves out move its position so often at most. */
const MOVED_EVERY_MS = 1_000;

/** Inboxes are looked at so often at most, however many writes there are. */
const CONCERNS_EVERY_MS = 20;

const NO_CONCERNS: Concerns = { announcement_id: 0, of: new Map() };

/** Where the news are looked up. */
interface News {
  readonly lastId: () => Promise<number>;
  readonly kindsWithin: KindsWithin;
  /** For all agents that wait, in one query. */
  readonly concerning: (agents: readonly number[]) => Promise<Concerns>;
}

/** The readers that wait for the ledger to grow, and how they are woken. */
export interface WaitingReads extends LedgerSignal {
  /** New entries can be read: wakes the readers that wait for them. Costs nothing when nobody waits. */
  poll(): void;
  waiting(): number;
  /** Answers everybody at once; from here on nobody waits. */
  close(): void;
}

/**
 * The news are looked up 20 times a second while somebody waits: other processes append too.
 * `displaced` is called for each displaced wait.
 */
export function waitingReads(
  { lastId, kindsWithin, concerning }: News,
  displaced: () => void,
): WaitingReads {
  const room = roomFor(displaced);
  const kinds = newestKinds(kindsWithin);
  let newest_id = 0;
  let concerns = NO_CONCERNS;
  let closed = false;
  let isPolling = false;
  let isWaking = false;
  const askConcerns = paced(async () => {
    const agents = new Set([...room.waits()].flatMap(({ agent }) => agent ?? []));
    if (agents.size === 0) return;
    concerns = await concerning([...agents]).catch(() => concerns);
    if (!isWaking) wakeSome();
  });

  async function wakeArrived(): Promise<void> {
    try {
      const last_id = await lastId();
      if (room.waits().some(({ isFiltered }) => isFiltered)) await kinds.learn(last_id);
      newest_id = last_id;
    } catch {
      return; // The storage is away for a moment; those who wait learn of it when they ask again.
    }
    if (!isWaking) wakeSome();
    askConcerns();
  }

  function wakeSome(): void {
    isWaking = false;
    let woken = 0;
    for (const wait of room.waits()) {
      if (!wait.isOver(newest_id, concerns)) continue;
      if (woken === WOKEN_AT_ONCE) {
        isWaking = true;
        setImmediate(wakeSome);
        return;
      }
      wait.end(true);
      woken++;
    }
  }

  async function poll(): Promise<void> {
    await wakeArrived();
    isPolling = false;
    if (room.size() > 0) pollSoon();
  }

  function pollSoon(): void {
    if (isPolling) return;
    isPolling = true;
    setTimeout(poll, LOOK_INTERVAL_MS);
  }

  function waitUntil(
    { agent, isFiltered, isOver }: Pick<Wait, "agent" | "isFiltered" | "isOver">,
    wait_s: number,
    waiter: Waiter,
  ): Promise<boolean> {
    if (closed) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = timerOf(wait_s * 1_000, () => wait.end(false));
      const stay = waiter.onDisconnect(() => wait.end(false));
      const wait: Wait = {
        agent,
        isFiltered,
        isOver,
        end(arrived) {
          timer.clear();
          stay();
          room.leave(wait);
          resolve(arrived);
        },
        makeRoom: timer.shorten,
      };
      room.enter(wait, waiter.shares());
      pollSoon();
    });
  }

  return {
    poll() {
      if (room.size() > 0) void wakeArrived();
    },
    waiting: () => room.size(),
    waitForEntry: (entry, wait_s, waiter = NOBODY) =>
      waitUntil({ agent: null, ...entryWait(entry, kinds) }, wait_s, waiter),
    waitForConcern: (seen, wait_s, waiter = NOBODY) => waitUntil(concernWait(seen), wait_s, waiter),
    close() {
      closed = true;
      room.clear();
    },
  };
}

/** A wait for entries of some kinds, which others move on once in a while. */
function entryWait({ after_id, kinds: wanted }: EntryWait, kinds: NewestKinds) {
  const moves_ms = performance.now() + MOVED_EVERY_MS;
  const isOver = (last_id: number): boolean =>
    last_id > after_id &&
    (wanted === undefined || kinds.mayHave(wanted, after_id) || performance.now() >= moves_ms);
  return { isFiltered: wanted !== undefined, isOver };
}

const concernWait = (seen: ConcernWait) => ({
  agent: seen.agent,
  isFiltered: false,
  isOver: (_: number, news: Concerns) => isNews(seen, news),
});

const isNews = (seen: ConcernWait, { announcement_id, of }: Concerns): boolean => {
  const newest = of.get(seen.agent) ?? { ledger_id: 0, message_id: 0 };
  return (
    Math.max(newest.ledger_id, announcement_id) > seen.after_id ||
    newest.message_id > seen.after_message_id
  );
};

/** Calls `work` soon: one call at a time, so often at most, and once more for what came meanwhile. */
function paced(work: () => Promise<void>): () => void {
  let isWorking = false;
  let isStale = false;
  async function run(): Promise<void> {
    isWorking = true;
    while (isStale) {
      isStale = false;
      await work();
      await pause(CONCERNS_EVERY_MS);
    }
    isWorking = false;
  }
  return () => {
    isStale = true;
    if (!isWorking) void run();
  };
}

const pause = (wait_ms: number) => new Promise((resolve) => setTimeout(resolve, wait_ms));

/** Calls `end` after `wait_ms`, or once it was shortened, but then not before `SHORTEST_WAIT_MS`. */
function timerOf(wait_ms: number, end: () => void) {
  let isShortened = false;
  let hasLasted = false;
  const first_ms = Math.min(wait_ms, SHORTEST_WAIT_MS);
  let timer = setTimeout(() => {
    hasLasted = true;
    if (isShortened || wait_ms === first_ms) end();
    else timer = setTimeout(end, wait_ms - first_ms);
  }, first_ms);
  return {
    clear: () => clearTimeout(timer),
    shorten() {
      isShortened = true;
      if (hasLasted) end();
    },
  };
}

/** Waits outside of a request: each has its own holder, until its time is over. */
const NOBODY: Waiter = {
  shares: () => [{ name: {}, max: 1 }],
  onDisconnect: () => () => {},
  leaveSlot() {},
};

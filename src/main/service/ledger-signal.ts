import type { ConcernWait, LedgerSignal } from "../../context.ts";
import type { Waiter } from "../../kernel/contract/operation.ts";
import { type Claim, fairPool, type Share } from "../../kernel/pools/fair-pool.ts";

/** Answers that one process may hold at once. */
export const WAITING_READS_MAX = 2_000;

/** How soon an entry of another process is noticed. */
const LOOK_INTERVAL_MS = 50;

/** Readers that are woken in one turn of the event loop: others are answered in between. */
const WOKEN_AT_ONCE = 128;

/** A wait that makes room lasts so long all the same, so that clients which ask again do not spin. */
const SHORTEST_WAIT_MS = 2_000;

/** Inboxes are looked at so often at most, however many writes there are. */
const CONCERNS_EVERY_MS = 20;

/** The newest of what concerns some agents (their rows). */
interface Concerns {
  readonly announcement_id: number;
  readonly of: ReadonlyMap<number, { readonly ledger_id: number; readonly message_id: number }>;
}

const NO_CONCERNS: Concerns = { announcement_id: 0, of: new Map() };

/** Where the news are looked up. */
interface News {
  readonly lastId: () => Promise<number>;
  /** For all agents that wait, in one query. */
  readonly concerning: (agents: readonly number[]) => Promise<Concerns>;
}

interface Wait {
  /** The agent (its row) whose news it waits for; null: for any entry. */
  readonly agent: number | null;
  readonly isOver: (last_id: number, concerns: Concerns) => boolean;
  readonly end: (arrived: boolean) => void;
  /** Ends it without an entry, as soon as it has lasted for `SHORTEST_WAIT_MS`. */
  readonly makeRoom: () => void;
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
export function waitingReads({ lastId, concerning }: News, displaced: () => void): WaitingReads {
  const room = roomFor(displaced);
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
      newest_id = await lastId();
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
    { agent, isOver }: Pick<Wait, "agent" | "isOver">,
    wait_s: number,
    waiter: Waiter,
  ): Promise<boolean> {
    if (closed) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = timerOf(wait_s * 1_000, () => wait.end(false));
      const stay = waiter.onDisconnect(() => wait.end(false));
      const wait: Wait = {
        agent,
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
    waitForEntry: (after_id, wait_s, waiter = NOBODY) =>
      waitUntil({ agent: null, isOver: (last_id) => last_id > after_id }, wait_s, waiter),
    waitForConcern: (seen, wait_s, waiter = NOBODY) =>
      waitUntil({ agent: seen.agent, isOver: (_, news) => isNews(seen, news) }, wait_s, waiter),
    close() {
      closed = true;
      room.clear();
    },
  };
}

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

/**
 * The waits of a process. A new one is never refused: its holder's own oldest makes room when the
 * holder has too many, and the oldest of the holder with most when the process has.
 */
function roomFor(displaced: () => void) {
  const pool = fairPool(WAITING_READS_MAX);
  /** In the order of asking. */
  const waits = new Map<Wait, Claim>();
  /** They have made room and are answered in a moment. */
  const leaving = new Set<Wait>();

  function makeRoom(wait: Wait): void {
    waits.delete(wait);
    leaving.add(wait);
    wait.makeRoom();
    displaced();
  }

  return {
    waits: () => waits.keys(),
    size: () => waits.size,
    leave(wait: Wait): void {
      waits.get(wait)?.leave();
      waits.delete(wait);
      leaving.delete(wait);
    },
    enter(wait: Wait, shares: readonly Share[]): void {
      const claim = pool.claim(shares, () => makeRoom(wait));
      claim.insist(1);
      waits.set(wait, claim);
    },
    clear(): void {
      for (const wait of [...waits.keys(), ...leaving]) wait.end(false);
    },
  };
}

/** Waits outside of a request: each has its own holder, until its time is over. */
const NOBODY: Waiter = {
  shares: () => [{ name: {}, max: 1 }],
  onDisconnect: () => () => {},
  leaveSlot() {},
};

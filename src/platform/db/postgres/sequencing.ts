import type { Alarm } from "../../kernel/alarms.ts";
import { SEQUENCE_MAX } from "../engine.ts";

const INTERVAL_MS = 250;

/** How long entries wait for those of writes that are under way, so that one sequencing takes them all. */
const GATHERING_MS = 10;

/** Gives ledger ids to what was committed without. */
export interface Sequencing {
  /** Resolves, to how many, when everything has an id that was committed before the call. */
  sequence(): Promise<number>;
  /**
   * Sequences at once, or soon if `more` entries are on their way: a sequencing costs the same for
   * one as for fifty. A failure is reported, and made up for by the timer.
   */
  nudge(more: boolean): void;
  stop(): void;
}

/**
 * One sequencing at a time: callers that ask while one runs wait for the one after it, which all of
 * them share. The timer takes what a process left behind that ended after its commit.
 * `batch` sequences at most SEQUENCE_MAX entries in one transaction, and resolves to how many.
 */
export function startSequencing(batch: () => Promise<number>, alarm: Alarm): Sequencing {
  let running: Promise<number> | null = null;
  let next: Promise<number> | null = null;
  let fails = false;

  async function drain(): Promise<number> {
    try {
      let total = 0;
      for (;;) {
        const count = await batch();
        total += count;
        if (count < SEQUENCE_MAX) return total;
      }
    } finally {
      running = null;
    }
  }

  function sequence(): Promise<number> {
    if (running === null) {
      running = drain();
      return running;
    }
    next ??= running
      .catch(() => 0)
      .then(() => {
        next = null;
        return sequence();
      });
    return next;
  }

  async function attempt(): Promise<void> {
    try {
      await sequence();
      fails = false;
    } catch (error) {
      if (!fails) alarm("sequencing_failed", { reason: String(error) });
      fails = true;
    }
  }

  let gathering: NodeJS.Timeout | undefined;

  function begin(): void {
    clearTimeout(gathering);
    gathering = undefined;
    void attempt();
  }

  function nudge(more: boolean): void {
    if (more) gathering ??= setTimeout(begin, GATHERING_MS);
    else begin();
  }

  const timer = setInterval(begin, INTERVAL_MS);
  function stop(): void {
    clearInterval(timer);
    clearTimeout(gathering);
  }
  return { sequence, nudge, stop };
}

/** How often what sequencing leaves behind is cleared away, and after how many times from the first row on. */
const UPKEEP_MS = 10_000;
const UPKEEPS_UNTIL_ALL = 6;

/** A long snapshot keeps deleted rows, and each sequencing steps over those of up to twice as many entries. */
const RAISE_AFTER_ENTRIES = 2_048;

/** Clears away what sequencing leaves behind. */
export interface Upkeep {
  /** Raises the floor of sequencing; `all` looks at every row first, also below the floor. */
  raise(all: true | undefined): Promise<unknown>;
  /** Forgets names that nobody needs any more. */
  forget(): Promise<unknown>;
}

/**
 * One upkeep at a time; a failure is made up for by the next one. `sequenced` notes how many entries this
 * node gave ids to: after many, the floor is raised before its time.
 */
export function startUpkeep({ raise, forget }: Upkeep) {
  let turns = 0;
  let entries = 0;
  let isRunning = false;

  async function alone(work: () => Promise<unknown>): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    entries = 0;
    await work().catch(() => {});
    isRunning = false;
  }

  async function turn(): Promise<void> {
    await raise(turns++ % UPKEEPS_UNTIL_ALL === 0 ? true : undefined);
    await forget();
  }

  const timer = setInterval(() => void alone(turn), UPKEEP_MS);
  return {
    sequenced(count: number): void {
      entries += count;
      if (entries >= RAISE_AFTER_ENTRIES) void alone(() => raise(undefined));
    },
    stop: () => clearInterval(timer),
  };
}

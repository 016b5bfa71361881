import { type Claim, fairPool, type Share } from "../../platform/kernel/pools/fair-pool.ts";

/** Answers that one process may hold at once. */
export const WAITING_READS_MAX = 2_000;

/** The newest of what concerns some agents (their rows). */
export interface Concerns {
  readonly announcement_id: number;
  readonly of: ReadonlyMap<number, { readonly ledger_id: number; readonly message_id: number }>;
}

/** A reader that waits. */
export interface Wait {
  /** The agent (its row) whose news it waits for; null: for any entry. */
  readonly agent: number | null;
  /** Whether it waits for some kinds of entry. */
  readonly isFiltered: boolean;
  readonly isOver: (last_id: number, concerns: Concerns) => boolean;
  readonly end: (arrived: boolean) => void;
  /** Ends it without an entry, as soon as it has lasted for `SHORTEST_WAIT_MS`. */
  readonly makeRoom: () => void;
}

/**
 * The waits of a process. A new one is never refused: its holder's own oldest makes room when the
 * holder has too many, and the oldest of the holder with most when the process has.
 */
export function roomFor(displaced: () => void) {
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

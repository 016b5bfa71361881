import {
  type Journal,
  type Store,
  type Tx,
  WAITING_WRITES_MAX,
  type WriteKind,
} from "../engine.ts";
import { transaction } from "./connection.ts";
import { overloaded } from "./errors.ts";
import { groupsOf } from "./groups.ts";
import type { Connections } from "./pool.ts";
import { untilItWins } from "./retry.ts";
import { type Outcome, runTogether } from "./together.ts";

/** All writes of this process. */
interface Writes extends Pick<Store, "write"> {
  waiting(): number;
}

interface WritesParts {
  readonly pool: Connections;
  /** How long a write that loses to others is run again. */
  readonly patience_ms: number;
  readonly journal: Journal;
  /** Hears of every transaction that is stored: how many entries it brought, and whether `more` are under way. */
  readonly onStored: (entries: number, more: boolean) => void;
}

/** One transaction for each write, many at a time; grouped ones share theirs. */
export function writesOf({ pool, patience_ms, journal, onStored }: WritesParts): Writes {
  let underWay = 0;

  /** Runs `body` in one transaction, again while it loses to others, and stores its entries with it. */
  async function store<T>(kind: "write" | "locked", body: (tx: Tx) => Promise<T>): Promise<T> {
    let entries = 0;
    let recorded: Promise<unknown> | null = null;
    const attempt = async (bare: Tx) => {
      const tx: Tx = Object.assign(bare, {
        settle: (early: Tx["entries"]) => journal.record(bare, early),
      });
      const result = await body(tx);
      entries = tx.entries.length;
      // Not awaited here: the COMMIT travels with it, and comes to nothing if it fails.
      recorded = entries > 0 ? journal.record(tx, tx.entries) : null;
      recorded?.catch(() => {});
      return result;
    };
    underWay++;
    try {
      const result = await untilItWins(() => transaction(pool, kind, attempt), patience_ms);
      await recorded;
      onStored(entries, underWay > 1 || group.waiting() > 0);
      return result;
    } finally {
      underWay--;
    }
  }

  const group = groupsOf((bodies: readonly ((tx: Tx) => Promise<unknown>)[]) =>
    store("locked", (tx) => runTogether(tx, bodies)),
  );

  return {
    async write<T>(body: (tx: Tx) => Promise<T>, kind?: WriteKind): Promise<T> {
      if (pool.waiting() >= WAITING_WRITES_MAX) throw overloaded();
      if (kind !== "grouped") return store("write", body);
      const outcome = (await group.write(body)) as Outcome<T>;
      return outcome();
    },
    waiting: () => pool.waiting() + group.waiting(),
  };
}

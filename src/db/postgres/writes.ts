import {
  type Demand,
  type InsertTx,
  type Journal,
  type SharedWrite,
  type Tx,
  WAITING_WRITES_MAX,
} from "../engine.ts";
import { transaction } from "./connection.ts";
import { overloaded } from "./errors.ts";
import { type Groups, groupsOf } from "./groups.ts";
import { insertTogether } from "./inserts.ts";
import type { Connections } from "./pool.ts";
import { untilItWins } from "./retry.ts";

/** All writes of this process. */
interface Writes {
  write<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  insert<T>(body: (tx: InsertTx) => Promise<T>): Promise<T>;
  writeShared<Item, Outcome>(
    body: SharedWrite<Item, Outcome>,
    item: Item,
    demand?: Demand,
  ): Promise<Outcome>;
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

/** One transaction for each write, many at a time; shared ones travel in groups. */
export function writesOf({ pool, patience_ms, journal, onStored }: WritesParts): Writes {
  const groups = new Map<unknown, Groups<unknown, unknown>>();
  let underWay = 0;

  const waitingItems = () => [...groups.values()].reduce((sum, group) => sum + group.waiting(), 0);

  /** Runs `body` in one transaction, again while it loses to others, and stores its entries with it. */
  async function store<T>(kind: "write" | "locked", body: (tx: Tx) => Promise<T>): Promise<T> {
    let entries = 0;
    let recorded: Promise<unknown> | null = null;
    const attempt = async (bare: Tx) => {
      const tx: Tx = { ...bare, settle: (entries) => journal.record(tx, entries) };
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
      onStored(entries, underWay > 1 || waitingItems() > 0);
      return result;
    } finally {
      underWay--;
    }
  }

  function groupsFor<Item, Outcome>(body: SharedWrite<Item, Outcome>): Groups<Item, Outcome> {
    const known = groups.get(body) as Groups<Item, Outcome> | undefined;
    if (known !== undefined) return known;
    const fresh = groupsOf((items: readonly Item[]) => store("locked", (tx) => body(tx, items)));
    groups.set(body, fresh as Groups<unknown, unknown>);
    return fresh;
  }

  /** Writers of each kind that leave out, in their transaction, whatever may not be stored any more. */
  const shared = new Map<unknown, Demanding<unknown, unknown>>();

  function sharedFor<Item, Outcome>(body: SharedWrite<Item, Outcome>) {
    const known = shared.get(body) as Demanding<Item, Outcome> | undefined;
    const demanding = known ?? ((tx, items) => storeStanding(tx, items, body));
    shared.set(body, demanding as Demanding<unknown, unknown>);
    return groupsFor(demanding);
  }

  const refuseCrowd = () => {
    if (pool.waiting() >= WAITING_WRITES_MAX) throw overloaded();
  };

  return {
    async write(body) {
      refuseCrowd();
      return store("write", body);
    },
    async insert<T>(body: (tx: InsertTx) => Promise<T>) {
      refuseCrowd();
      const outcome = await groupsFor<typeof body, () => T>(insertTogether).write(body);
      return outcome();
    },
    async writeShared(body, item, demand) {
      refuseCrowd();
      const outcome = await sharedFor(body).write({ item, demand });
      return outcome();
    },
    waiting: () => pool.waiting() + waitingItems(),
  };
}

/** An item of a shared write, and what must hold for it to be stored. */
interface Demanded<Item> {
  readonly item: Item;
  readonly demand: Demand | undefined;
}

type Demanding<Item, Outcome> = SharedWrite<Demanded<Item>, () => Outcome>;

/** Stores the items that may be stored; of each other one the outcome throws why it may not. */
async function storeStanding<Item, Outcome>(
  tx: Tx,
  items: readonly Demanded<Item>[],
  body: SharedWrite<Item, Outcome>,
): Promise<readonly (() => Outcome)[]> {
  const asked = await Promise.allSettled(items.map(async ({ demand }) => demand?.(tx)));
  const standing = items.filter((_, i) => asked[i]?.status === "fulfilled");
  const made =
    standing.length === 0
      ? []
      : await body(
          tx,
          standing.map(({ item }) => item),
        );
  const outcomes = new Map(standing.map((one, i) => [one, made[i] as Outcome]));
  return items.map((one, i) => () => {
    const said = asked[i];
    if (said?.status === "rejected") throw said.reason;
    return outcomes.get(one) as Outcome;
  });
}

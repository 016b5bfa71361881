import { nextTick } from "node:process";
import type { Grouped, GroupTx, PendingEntry, Tx } from "../engine.ts";

/** A body that is typed as any other, and gets no more than a `GroupTx`. */
type Body<T> = (tx: Tx) => Promise<T>;

/** An item that waits for the end of the turn, with others of the same work. */
interface Waiting {
  readonly item: unknown;
  readonly resolve: (made: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The result of a body; throws what the body threw. */
export type Outcome<T> = () => T;

/**
 * Runs bodies side by side in one transaction. Of the same work that they ask for in one turn of the event loop, all is
 * done at once. Their entries are stored in the order of the bodies. A body that fails before it asks for any is refused
 * alone, so nobody breaks up groups by writes that are refused; after that it fails them all.
 */
export async function runTogether<T>(
  tx: Tx,
  bodies: readonly Body<T>[],
): Promise<readonly Outcome<T>[]> {
  const gathered = new Map<AnyWork, Waiting[]>();

  function flush(): void {
    const lists = [...gathered];
    gathered.clear();
    // In one order for all groups, so that no two wait for each other's locks in a circle.
    lists.sort(([a], [b]) => (a.name < b.name ? -1 : 1));
    for (const [work, waiting] of lists) void perform(tx, work, waiting);
  }

  const together = <Item, Made>(work: Grouped<Item, Made>, item: Item): Promise<Made> =>
    new Promise((resolve, reject) => {
      if (gathered.size === 0) nextTick(flush); // Runs when no promise has anything left to do.
      const key = work as AnyWork;
      const waiting = { item, resolve: resolve as Waiting["resolve"], reject };
      const known = gathered.get(key);
      if (known === undefined) gathered.set(key, [waiting]);
      else known.push(waiting);
    });

  const own = { together, standing: tx.standing };
  const ran = await Promise.all(bodies.map((body) => runOne(body, own)));
  tx.entries.push(...ran.flatMap(({ entries }) => entries));
  return ran.map(({ outcome }) => outcome);
}

async function runOne<T>(
  body: Body<T>,
  { together, standing }: Pick<GroupTx, "together" | "standing">,
): Promise<{ readonly outcome: Outcome<T>; readonly entries: readonly PendingEntry[] }> {
  const entries: PendingEntry[] = [];
  let inserted = 0;
  const own: GroupTx = {
    entries,
    standing,
    get inserted() {
      return inserted;
    },
    together(work, item) {
      inserted++;
      return together(work, item);
    },
  };
  try {
    const result = await body(own as Tx);
    return { outcome: () => result, entries };
  } catch (error) {
    if (inserted > 0) throw error;
    const refuse = () => {
      throw error;
    };
    return { outcome: refuse, entries: [] };
  }
}

type AnyWork = Grouped<unknown, unknown>;

async function perform(tx: Tx, work: AnyWork, waiting: readonly Waiting[]): Promise<void> {
  try {
    const made = await work.all(
      tx,
      waiting.map(({ item }) => item),
    );
    for (const [i, { resolve }] of waiting.entries()) resolve(made[i]);
  } catch (error) {
    for (const { reject } of waiting) reject(error);
  }
}

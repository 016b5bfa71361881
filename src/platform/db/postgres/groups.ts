import { isOutage } from "../../kernel/contract/errors.ts";
import { WAITING_WRITES_MAX } from "../engine.ts";
import { overloaded } from "./errors.ts";

/** Items that share one transaction: it holds the locks of all of them until it ends. */
const GROUP_MAX = 64;

/** Groups under way at once. More of them are smaller, and a group costs the same for few and for many. */
const LANES = 2;

interface Waiting<Item, Outcome> {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/** An item that is stored together with the waiting items of its kind. */
export interface Groups<Item, Outcome> {
  write(item: Item): Promise<Outcome>;
  waiting(): number;
}

/**
 * Group commit: what waits while one group is stored is the next one. `store` resolves to what became
 * of each item, in their order, or stores nothing and rejects.
 */
export function groupsOf<Item, Outcome>(
  store: (items: readonly Item[]) => Promise<readonly Outcome[]>,
): Groups<Item, Outcome> {
  let queue: Waiting<Item, Outcome>[] = [];
  let lanes = 0;
  let isGathering = false;

  /** Lets callers of the same turn of the event loop join. */
  async function gather(): Promise<readonly Waiting<Item, Outcome>[]> {
    isGathering = true;
    await new Promise((resolve) => setImmediate(resolve));
    isGathering = false;
    const group = queue.slice(0, GROUP_MAX);
    queue = queue.slice(GROUP_MAX);
    return group;
  }

  async function run(): Promise<void> {
    lanes++;
    while (queue.length > 0 && !isGathering) await perform(await gather());
    lanes--;
  }

  /** An item that the database refuses undoes its group, which is tried one by one then. */
  async function perform(group: readonly Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await store(group.map(({ item }) => item));
      for (const [i, { resolve }] of group.entries()) resolve(outcomes[i] as Outcome);
    } catch (error) {
      if (group.length === 1 || isOutage(error)) for (const { reject } of group) reject(error);
      else for (const one of group) await perform([one]);
    }
  }

  return {
    write(item) {
      if (queue.length >= WAITING_WRITES_MAX) return Promise.reject(overloaded());
      return new Promise((resolve, reject) => {
        queue.push({ item, resolve, reject });
        if (lanes < LANES && !isGathering) void run();
      });
    },
    waiting: () => queue.length,
  };
}

import type { Context } from "../../context.ts";
import type { Db, InsertTx, PendingEntry, SharedWrite, Tx, WriteKind } from "../../db/engine.ts";
import { insertTxOf } from "../../db/rows.ts";
import { Rejection } from "../../kernel/contract/errors.ts";

type Storage = Pick<Context, "read" | "snapshot" | "write" | "insert" | "writeShared">;

/** Undoes the transaction out of which it is thrown. */
class Undone extends Error {}

interface Trial {
  readonly input: object;
  /** Runs the handler over this storage, and resolves to its answer. */
  readonly run: (storage: Storage) => Promise<object>;
}

/** How often a trial that loses to another transaction runs, at most. */
const TRIES_MAX = 5;

/**
 * Runs a write to its end and undoes it. The transaction stays open until the handler has answered, and its reads see
 * what it wrote, so the answer is the one that the write would have: hints, mentions and rewards among it. Ids do not
 * exist yet, so those are null. Beside it stand the entries that would be public, with the texts that were sent.
 * Rejects as the write would.
 */
export async function tried(storage: Storage, { input, run }: Trial): Promise<object> {
  for (let tries = 1; ; tries++) {
    const trial = openTrial(storage);
    const [outcome] = await Promise.allSettled([run(trial.storage)]);
    const entries = await trial.undo();
    if (outcome.status === "fulfilled")
      return {
        ...withoutIds(Object(outcome.value), entries),
        dry_run: true,
        entries: entries.map((entry) => publicOf(entry, { input, entries })),
      };
    const isRefusal = outcome.reason instanceof Rejection || tries === TRIES_MAX;
    if (isRefusal || !trial.hasWritten()) throw outcome.reason;
  }
}

/** A context whose counters outside of the database, which no transaction undoes, stay as they are. */
export const uncounted = <C extends Pick<Context, "rewardPool" | "occurrences">>(context: C): C => {
  const { rewardPool, occurrences } = context;
  const pace = { ...rewardPool.pace, charge() {} };
  return {
    ...context,
    rewardPool: { ...rewardPool, pace },
    occurrences: { ...occurrences, count() {} },
  };
};

/** The transaction of a trial, which all its writes share. */
interface Open {
  readonly tx: Tx;
  /** Of a batch that it shares with others: its own entries begin here. */
  readonly before: number;
}

function openTrial({ read, snapshot, write }: Storage) {
  const ended = Promise.withResolvers<void>();
  let open: Open | null = null;
  let made: readonly PendingEntry[] = [];
  let closing: Promise<unknown> = Promise.resolve();

  /** The first write of a trial holds its transaction open, and the others run in it. Time's own writes are no trial. */
  function held<T>(body: (tx: Tx) => Promise<T>, kind?: WriteKind): Promise<T> {
    if (open !== null) return body(open.tx);
    if (kind === "upkeep") return write(body, kind);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    closing = write(async (tx) => {
      if (open !== null) throw new Undone(); // The engine runs a body again when a neighbour failed.
      const before = tx.entries.length;
      const result = await body(tx);
      if (tx.entries.length > before) await tx.settle?.();
      open = { tx, before };
      resolve(result);
      await ended.promise;
      made = tx.entries.slice(before);
      throw new Undone();
    }, kind).catch(reject);
    return promise;
  }

  const db: Db = {
    compiler: read.compiler,
    all: (plan, values) => (open?.tx ?? read).all(plan, values),
    run: (plan, values) => (open?.tx ?? read).run(plan, values),
  };
  const storage: Storage = {
    read: db,
    snapshot: (work) => (open === null ? snapshot(work) : work(open.tx)),
    write: held,
    insert: <T>(body: (tx: InsertTx) => Promise<T>) => held((tx) => body(insertTxOf(tx))),
    writeShared: <Item, Outcome>(body: SharedWrite<Item, Outcome>, item: Item) =>
      held(async (tx) => {
        const [outcome] = await body(tx, [item]);
        if (outcome === undefined) throw new Error("A shared write has an outcome for each item.");
        return outcome;
      }),
  };
  return {
    storage,
    hasWritten: () => open !== null,
    /** Ends the transaction. Resolves to the entries that it would have brought. */
    async undo(): Promise<readonly PendingEntry[]> {
      ended.resolve();
      await closing;
      return made;
    },
  };
}

interface Answer {
  readonly id?: unknown;
  readonly repeated?: unknown;
  readonly reward?: unknown;
  readonly rewards?: unknown;
  readonly [more: string]: unknown;
}

type Entries = readonly PendingEntry[];

/** An answer in which null stands for each id that the write would have made, as for the ids of its rewards. */
function withoutIds(answer: Answer, entries: Entries): object {
  if (answer.repeated === true) return answer;
  const { id } = answer;
  const shown = Object.entries(answer).map(([name, value]) => {
    if (name === "id" || name === "coin_claim_id") return [name, null];
    if (name === "reward") return [name, ungranted(value, entries)];
    if (name === "rewards" && Array.isArray(value))
      return [name, value.map((each) => ungranted(each, entries))];
    if (id === undefined || Object(value).id !== id) return [name, value];
    const twin = `${name}_id`;
    return [name, { ...Object(value), id: null, ...(twin in Object(value) && { [twin]: null }) }];
  });
  return Object.fromEntries(shown);
}

/** A reward whose entitlement has no id yet, and names no thing that was not made. */
function ungranted(reward: unknown, entries: Entries): unknown {
  const { entitlement } = Object(reward);
  if (typeof entitlement !== "object" || entitlement === null) return reward;
  const source = isMadeHere(entitlement.source, entries) ? null : entitlement.source;
  return { ...Object(reward), entitlement: { ...entitlement, id: null, source } };
}

/** Whether a text as `commit/7` names what one of these entries makes. */
function isMadeHere(source: unknown, entries: Entries): boolean {
  const [, word = "", id] = /^([a-z]+)\/(\d+)$/.exec(String(source)) ?? [];
  return entries.some(({ kind, ref }) => ref === id && kind.endsWith(word));
}

/** An entry without the ids that it would get, and with the texts that were sent in place of their hashes. */
function publicOf(
  { kind, ref, body }: PendingEntry,
  { input, entries }: { readonly input: object; readonly entries: Entries },
) {
  const fields = Object.entries(body).flatMap(([name, value]) => {
    if (name.endsWith("_id") && String(value) === ref) return [];
    if (isMadeHere(value, entries)) return [];
    const plain = name.replace(/_sha256$/, "");
    const text: unknown = plain === name ? undefined : Reflect.get(input, plain);
    return [typeof text === "string" ? [plain, text] : [name, value]];
  });
  return { kind, body: Object.fromEntries(fields) };
}

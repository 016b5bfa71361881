import { KIND_ROWS } from "../../domains/rows.ts";
import type { Context } from "../../platform/context.ts";
import type { Db, PendingEntry, Tx, WriteKind } from "../../platform/db/engine.ts";
import { groupTxOf } from "../../platform/db/transaction.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import type { AnyWrite } from "./write-steps.ts";

/** The storage of a handler. */
interface Storage extends Pick<Context, "read" | "snapshot"> {
  readonly write: AnyWrite;
}

/** Undoes the transaction out of which it is thrown. */
class Undone extends Error {}

interface Trial {
  readonly input: object;
  /** Fields whose values only a write that is made has (`Operation.drawn`). */
  readonly drawn?: readonly string[] | undefined;
  /** Runs the handler over this storage, and resolves to its answer. */
  readonly run: (storage: Storage) => Promise<object>;
}

interface TriedAnswer {
  readonly dry_run: true;
  /** Those that would be public. */
  readonly entries: readonly object[];
}

/**
 * Runs a write to its end and undoes it. The transaction stays open until the handler has answered, and its reads see
 * what it wrote, so the answer is the one that the write would have: hints, mentions and rewards among it. Ids do not
 * exist yet, so those are null. Beside it stand the entries that would be public, with the texts that were sent.
 * Rejects as the write would.
 */
export async function tried(
  storage: Storage,
  { input, drawn = [], run }: Trial,
): Promise<TriedAnswer> {
  const { answer, entries } = await undone(storage, run);
  const made = { id: Object(answer).id, entries, drawn: new Set(drawn), input };
  return {
    ...withoutIds(answer, made),
    dry_run: true,
    entries: entries.map((entry) => publicOf(entry, made)),
  };
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

interface Outcome {
  readonly answer: object;
  readonly entries: Entries;
}

/** Runs a handler in a transaction that is undone afterwards. */
async function undone(
  { read, snapshot, write }: Storage,
  run: (storage: Storage) => Promise<object>,
): Promise<Outcome> {
  let open: Open | null = null;
  let entries: Entries = [];
  let refusal: unknown;
  let closing: Promise<unknown> = Promise.resolve();

  /** Waits for the handler, and ends its transaction. After a conflict the engine begins it again. */
  async function ended({ tx, before }: Open): Promise<never> {
    const [outcome] = await Promise.allSettled([handled]);
    entries = tx.entries.slice(before);
    if (outcome.status === "rejected" && !(outcome.reason instanceof Rejection))
      throw outcome.reason;
    throw new Undone();
  }

  async function inside<T>({ tx }: Open, body: (tx: Tx) => Promise<T>): Promise<T> {
    const from = tx.entries.length;
    const result = await body(tx);
    if (tx.entries.length > from) await tx.settle?.(tx.entries.slice(from));
    return result;
  }

  /** The first write of a trial holds its transaction open, and the others run in it. Time's own writes are no trial. */
  function held<T>(body: (tx: Tx) => Promise<T>, kind?: WriteKind): Promise<T> {
    if (kind === "grouped") return held((tx) => body(groupTxOf(tx)));
    if (open !== null) return inside(open, body);
    if (kind === "upkeep") return write(body, kind);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    closing = write(async (tx) => {
      const own = { tx, before: tx.entries.length };
      if (open !== null) return again(own);
      const result = await inside(own, body);
      open = own;
      resolve(result);
      return ended(own);
    }, kind).catch((error: unknown) => {
      if (!(error instanceof Undone)) refusal = error;
      reject(error);
    });
    return promise;
  }

  /** The engine runs a body again after a conflict, and when a neighbour in its batch failed. */
  async function again(own: Open): Promise<never> {
    const [outcome] = await Promise.allSettled([handled]);
    const isOver = outcome.status === "fulfilled" || outcome.reason instanceof Rejection;
    if (isOver) throw new Undone();
    open = own;
    handled = run(storage);
    return ended(own);
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
  };
  let handled = run(storage);
  await Promise.allSettled([handled]);
  await closing;
  const [outcome] = await Promise.allSettled([handled]);
  if (outcome.status === "fulfilled") return { answer: outcome.value, entries };
  throw refusal instanceof Rejection ? refusal : outcome.reason;
}

type Entries = readonly PendingEntry[];

/** What a write would have made. */
interface Made {
  /** The id of the thing, where its answer says one. */
  readonly id: unknown;
  readonly entries: Entries;
  readonly drawn: ReadonlySet<string>;
  readonly input: object;
}

/** An answer in which null stands for each id that the write would have made, and for all else that it would draw. */
function withoutIds(answer: object, { id, entries, drawn }: Made): object {
  if (Object(answer).repeated === true) return answer;
  const shown = Object.entries(answer).map(([name, value]) => {
    if (name === "id" || name === "coin_claim_id") return [name, null];
    if (name === "reward") return [name, ungranted(value, entries)];
    if (name === "rewards" && Array.isArray(value))
      return [name, value.map((each) => ungranted(each, entries))];
    if (id === undefined || Object(value).id !== id) return [name, value];
    const twin = `${name}_id`;
    return [name, { ...Object(value), id: null, ...(twin in Object(value) && { [twin]: null }) }];
  });
  const plain = Object.fromEntries(shown);
  return drawn.size === 0 ? plain : Object(undrawn(plain, drawn));
}

/** A value in which null stands for what is drawn, at any depth. */
function undrawn(value: unknown, drawn: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => undrawn(each, drawn));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      drawn.has(name) ? null : undrawn(member, drawn),
    ]),
  );
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

/** The fields of each kind that hold the number of a row that its entry makes. */
const DRAWN: ReadonlyMap<string, readonly string[]> = new Map(
  KIND_ROWS.map(({ entry, effects }) => [
    entry.kind,
    (effects ?? []).flatMap((effect) => {
      const id = effect.does === "make" ? effect.rows.columns["id"] : undefined;
      return id?.from === "id" ? [id.field] : [];
    }),
  ]),
);

/** An entry without what it would draw, and with the texts that were sent in place of their hashes. */
function publicOf({ kind, body }: PendingEntry, { input, entries, drawn }: Made) {
  const fields = Object.entries(body).flatMap(([name, value]) => {
    const plain = name.replace(/_sha256$/, "");
    if (DRAWN.get(kind)?.includes(name) || drawn.has(plain)) return [];
    if (isMadeHere(value, entries)) return [];
    const text: unknown = plain === name ? undefined : Reflect.get(input, plain);
    return [typeof text === "string" ? [plain, text] : [name, value]];
  });
  return { kind, body: Object.fromEntries(fields) };
}

import type { Kysely } from "kysely";
import type { EntryBody } from "../kernel/proof/entry.ts";
import type { Packed } from "../kernel/proof/packed.ts";
import type { Seconds } from "../kernel/time.ts";
import type { Tables } from "./tables.ts";

/** A query compiled once. */
export interface Plan {
  /** Dense over the process: the place of the prepared statement in each connection's table. */
  readonly index: number;
  readonly sql: string;
  /** Whether it stores a row that its caller is charged for. */
  readonly inserts: boolean;
  /** An insert without its `returning "id"`, for an engine that reports the id of a new row anyway. */
  readonly numberedInsert?: string;
}

/** Something that answers queries. */
export interface Db {
  /** Compiles for this engine; it cannot execute. */
  readonly compiler: Kysely<Tables>;
  all(plan: Plan, values: readonly unknown[]): Promise<readonly unknown[]>;
  /** Resolves to the number of rows changed. */
  run(plan: Plan, values: readonly unknown[]): Promise<number>;
}

/** What `append` has collected: a ledger row that has no id yet. */
export interface PendingEntry {
  readonly kind: string;
  readonly ref: string;
  readonly body: EntryBody;
  /** Its JCS text. */
  readonly text: string;
  /** The same for storage, where this process has written it. */
  readonly packed?: Packed;
}

/**
 * Work that an engine may do for many callers at once, such as rows of one table (`insertion` in `rows.ts`). It decides
 * by nothing but rows that it changes, with the condition in the change itself, so it needs no more isolation than
 * their locks; those it takes in one order for all, because others run beside it.
 */
export interface Grouped<Item, Made> {
  /** Unique. All groups of all nodes do their work in the order of the names. */
  readonly name: string;
  one(tx: Tx, item: Item): Promise<Made>;
  /** In the order of the items. */
  all(tx: Tx, items: readonly Item[]): Promise<readonly Made[]>;
}

/**
 * A write that cannot read, so others that run in the same transaction beside it cannot change what it does, in
 * whatever order their work is done.
 */
export interface GroupTx {
  /** The ledger rows of this write, in order; stored with it or not at all. */
  readonly entries: PendingEntry[];
  /** Rows that were inserted so far, each work that was done together counting as one. */
  readonly inserted: number;
  together<Item, Made>(work: Grouped<Item, Made>, item: Item): Promise<Made>;
  /** Looks up what no such write changes: whether the caller's token still stands. */
  readonly standing: Db;
}

/** One write. Only `write()` hands one out, so whatever changes rows asks for a `Tx`. */
export interface Tx extends Db, GroupTx {
  readonly writable: true;
  /** Stores some of its entries, so that reads of this write see them: only for one that is undone in the end. */
  readonly settle?: (entries: readonly PendingEntry[]) => Promise<unknown>;
}

/** How the ledger takes part in a write. `main` hands it to the engine, which knows no tables. */
export interface Journal {
  /** Gives ids to `entries` and stores them whole, for an engine with one writer at a time. */
  settle(tx: Tx, entries: readonly PendingEntry[]): Promise<void>;
  /**
   * Stores `entries` without ids, for an engine with many writers at a time. Throws at once when the
   * clock forbids it; rejects when its statement fails.
   */
  record(tx: Tx, entries: readonly PendingEntry[]): Promise<unknown>;
  /** Gives ids to recorded entries, oldest first; resolves to how many. */
  sequence(tx: Tx): Promise<number>;
  /**
   * The same, and raises the order key from which `sequence` looks. `all` looks from the first one on: a
   * transaction may have drawn a smaller one unseen.
   */
  upkeep(tx: Tx, all: true | undefined): Promise<number>;
  /** Deletes names that no transaction needs any more to find out whether one is taken. */
  forget(tx: Tx): Promise<unknown>;
}

/** What a health check needs to know of the storage. */
interface StoreHealth {
  readonly engine: "sqlite" | "postgres";
  /** Why it takes no writes now, in a sentence; null while it does. */
  readonly refusal: string | null;
  readonly waitingWrites: number;
}

/** The disk under a database that is a file, in bytes but for the pages. */
export interface DiskRoom {
  readonly free_bytes: number;
  /** Below so much free space no write begins, and no large one. */
  readonly floor_bytes: number;
  readonly large_floor_bytes: number;
  /** Pages of the file that hold nothing, and how large one is. */
  readonly free_pages: number;
  readonly page_bytes: number;
}

/**
 * A `large` write brings a page, a box, a payload or a delivery: it is the first to be refused when
 * the disk fills up. An `upkeep` write does what time or a discovery demands: the caller
 * in whose request it is made did not ask for it. Of a `grouped` write the engine may run many in one transaction: its
 * body gets no more than a `GroupTx`.
 */
export type WriteKind = "usual" | "large" | "upkeep" | "grouped";

/** How a handler writes: by its type, a body that reads cannot be `grouped`. */
export interface Write {
  <T>(body: (tx: Tx) => Promise<T>, kind?: Exclude<WriteKind, "grouped">): Promise<T>;
  <T>(body: (tx: GroupTx) => Promise<T>, kind: WriteKind): Promise<T>;
}

/** Two ways to see what is committed. */
export interface Reads {
  /** Every query sees the newest committed state. */
  readonly read: Db;
  /** Several queries of one committed state. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>;
}

/** Reads of a server that follows, or of the database itself while that one is left out. */
export interface Replica extends Reads {
  /** The server itself, whether it is left out or not. */
  readonly follower: Db;
  isUsed(): boolean;
  /** For 5 seconds. */
  leaveOut(): void;
}

/** The whole list of what the two engines do differently. */
export interface Store extends Reads {
  /** Answers within two seconds or rejects, whatever else is asked of the storage. */
  readonly probe: Db;
  /** For jobs: a statement over a whole table takes as long as it needs. */
  readonly unhurried: Reads;
  /** The same from a server that follows and may lag behind, for public reads; null without one. */
  readonly replica: Replica | null;
  /**
   * A write is atomic, isolated, and durable before it resolves. A thrown error undoes it. The
   * body may run more than once, so it talks to `tx` only and awaits nothing else. Of `grouped` ones those that wait
   * share one transaction on PostgreSQL, and the same work is one statement; one that fails is refused alone.
   * Rejects with 503 `storage_unavailable` or `overloaded`.
   */
  write<T>(body: (tx: Tx) => Promise<T>, kind?: WriteKind): Promise<T>;
  /**
   * Changes whenever committed data may have changed: the key of finished public answers. A service of
   * many nodes learns of another's commit within a second.
   */
  generation(): number;
  /** The engine's own clock: the system's, or the database server's. */
  now(): Seconds;
  /** Gives ids to what is committed without (nothing to do on SQLite); resolves to how many. */
  sequence(): Promise<number>;
  health(): Promise<StoreHealth>;
  /**
   * Resolves to the fault when what was committed last may be lost. Nothing is stored any more then, and the
   * process has to end. A PostgreSQL server ends by itself.
   */
  readonly lost: Promise<unknown>;
  /**
   * Whether a session of another process had the database open when this one opened it. A file cannot say so: its
   * folder has a lock.
   */
  readonly hadOthers: boolean;
  /** The size of the database. */
  bytes(): Promise<number>;
  /** Null where the disk is another server's. */
  room(): DiskRoom | null;
  /**
   * Moves what was deleted out of the engine's log, and with `rewrite` writes the tables anew, without the
   * space in which old contents may still stand. Resolves to false where another process stood in the way.
   */
  scrub(tables: readonly string[], rewrite: boolean): Promise<boolean>;
  /** Waits for what runs, then lets go of the storage. */
  close(): Promise<void>;
}

/** Bodies that may wait in one engine before writes answer 503 `overloaded`. */
export const WAITING_WRITES_MAX = 4_096;

/** Entries that one sequencing takes; after a full one there may be more. */
export const SEQUENCE_MAX = 1_000;

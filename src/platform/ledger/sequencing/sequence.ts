import { sql } from "kysely";
import { ENTRY_KINDS } from "../../../domains/entries.ts";
import { type Journal, type PendingEntry, SEQUENCE_MAX, type Tx } from "../../db/engine.ts";
import { entryStore } from "../../db/entry-packing.ts";
import { prepared, preparedWrite } from "../../db/prepared.ts";
import { type Lists, listed, perEngine } from "../../db/rows.ts";
import { type EntryKind, madeAt, type PlacedEntry } from "../../kernel/contract/entry-kind.ts";
import { entryText, leafOf } from "../../kernel/proof/entry.ts";
import type { Seconds } from "../../kernel/time.ts";
import { entryOf } from "../append.ts";
import type { NetworkClock } from "../clocks/clock.ts";
import * as kinds from "../entries.ts";
import { PLACED_WITHIN_S } from "../rules.ts";
import { sha256 } from "../sha256.ts";
import { type RulesFence, rulesAfter, rulesFence } from "./fence.ts";
import { forgetSettled, raiseFloor } from "./floor.ts";

/**
 * Runs inside the sequencing transaction, in ledger order; the ledger does not know what it does.
 * Projectors run side by side, so that their statements travel together: none reads what another writes.
 */
export type Projector = (tx: Tx, entries: readonly PlacedEntry[]) => Promise<void>;

export interface JournalOptions {
  readonly clock: NetworkClock;
  readonly projectors: readonly Projector[];
  /** The rules that the entries of this program keep. */
  readonly fence?: RulesFence;
}

interface Head {
  readonly last_id: number;
  readonly last_at: Seconds;
  /** The version in force after the last entry; 0 before the first. */
  readonly rules: number;
}

const lockHead = prepared((db, _: Record<string, never>) =>
  db
    .selectFrom("ledger_head")
    .select(["last_id", "last_at", "rules"])
    .where("k", "=", 1)
    .forUpdate(),
);

/** Compare-and-swap: another sequencer's head changes no row here. */
const moveHead = prepared((db, p: Head & { readonly old_id: number }) =>
  db
    .updateTable("ledger_head")
    .set({ last_id: p.last_id, last_at: p.last_at, rules: p.rules })
    .where("k", "=", 1)
    .where("last_id", "=", p.old_id),
);

const PENDING = { kind: "text", ref: "text", body: "text" } as const;

/**
 * Stores entries without ids in the order of the lists, and their names for those that could miss them
 * (ledger_recent). A name that an entry has already is no name at all here, which the table refuses.
 */
const insertPending = preparedWrite(
  (_, { rules, ...lists }: Lists<typeof PENDING> & { readonly rules: number }) =>
    sql<Record<string, never>>`with
      listed (kind, ref, body, place) as materialized (
        select * from ${listed(PENDING, lists)} with ordinality),
      made as (
        insert into ledger_pending (kind, ref, body, rules)
        select kind, ref, body, cast(${rules} as integer) from listed order by place
        returning row_id, kind, ref)
      insert into ledger_recent (row_id, kind, ref)
      select m.row_id, m.kind, case when (
          select true from ledger_kind k join ledger_entry e on e.kind = k.id
          where k.kind = m.kind and e.ref = m.ref limit 1
        ) then null else m.ref end
      from made m`,
);

/**
 * Takes the oldest that keep at most these rules; above the floor, or when `all` is given, from the first on. By
 * where they lie in the table: a join would be planned for an empty table, as the last VACUUM has seen it, and take
 * seconds.
 */
const takePending = prepared((db, p: { limit: number; rules: number; all?: true | undefined }) => {
  const oldest = db
    .selectFrom("ledger_pending")
    .select(perEngine(db, { sqlite: () => sql`row_id`, postgres: () => sql`ctid` }).as("place"))
    .$if(p.all === undefined, (above) =>
      above.where("row_id", ">", (from) =>
        from.selectFrom("ledger_floor").select("floor").where("k", "=", 1),
      ),
    )
    .where("rules", "<=", p.rules)
    .orderBy("row_id")
    .limit(p.limit);
  return db
    .deleteFrom("ledger_pending")
    .where(
      perEngine(db, {
        sqlite: () => sql<boolean>`row_id in ${oldest}`,
        postgres: () => sql<boolean>`ctid = any (array${oldest})`,
      }),
    )
    .returning(["row_id", "kind", "ref", "body as text", "rules"]);
});

/** Whether entries wait that keep later rules, and whose places only a newer program gives. */
const laterPending = prepared((db, p: { rules: number }) =>
  db.selectFrom("ledger_pending").select("row_id").where("rules", ">", p.rules).limit(1),
);

/** A row that waited for its id. */
interface Taken extends Omit<PendingEntry, "body"> {
  readonly row_id: number;
  /** The version of the rules that its writer keeps. */
  readonly rules: number;
}

/** What sequencing adds to an entry. */
interface EntryPosition {
  readonly ledger_id: number;
  readonly at: Seconds;
  readonly leaf: Uint8Array;
}

/**
 * How the ledger takes part in writes. An id k+1 is given only by a transaction that saw the head
 * after the one with k, so ids are dense, and a reader that sees k+1 sees k.
 */
export function journalOf({ clock, projectors, fence = rulesFence() }: JournalOptions): Journal {
  const { rules } = fence;
  const adoption = entryOf(kinds.rulesAdopted, { rules });
  /** Whether the rules of this program are later than those that the ledger has; it begins with its writer's. */
  const isAdoptionDue = (head: Head) => head.rules > 0 && head.rules < rules;

  async function openHead(tx: Tx): Promise<Head> {
    const head = await lockHead.first(tx, {});
    if (head === undefined) throw new Error("The ledger has no head.");
    clock.observe(head.last_at);
    clock.refuseLeap();
    fence.observe(head.rules);
    return head;
  }

  async function closeHead(tx: Tx, old: Head, entries: readonly PlacedEntry[]): Promise<void> {
    const last = entries.at(-1);
    if (last === undefined) return;
    const head = {
      last_id: last.ledger_id,
      last_at: last.at,
      rules: rulesAfter(old.rules, entries),
    };
    const moving = moveHead.run(tx, { old_id: old.last_id, ...head });
    const [moved] = await allOf([moving, ...projectors.map((project) => project(tx, entries))]);
    if (moved !== 1) throw new Error("The ledger's head moved under its lock.");
    clock.observe(head.last_at);
  }

  const storeEntries = entryStore();

  async function store(tx: Tx, head: Head, entries: readonly PendingEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const now = clock.now();
    const placed = place(head, now, [...resumption(head, now, entries), ...entries]);
    await storeEntries(tx, placed);
    await closeHead(tx, head, placed);
  }

  /** Entries that kept earlier rules, the adoption of later ones where it is due, and then all others. */
  async function storeTaken(tx: Tx, head: Head, rows: readonly Taken[]): Promise<void> {
    const ordered = rows
      .toSorted((a, b) => a.row_id - b.row_id)
      .map((row) => ({ ...row, body: JSON.parse(row.text) }));
    const isAdopting = rows.length < SEQUENCE_MAX && isAdoptionDue(head);
    const earlier = isAdopting ? ordered.filter((row) => row.rules < rules) : [];
    const later = isAdopting ? ordered.filter((row) => row.rules >= rules) : ordered;
    const waited = [...earlier, ...(isAdopting ? [adoption] : []), ...later];
    await store(tx, head, waited);
  }

  return {
    async settle(tx, entries) {
      const head = await openHead(tx);
      fence.demand();
      await store(tx, head, isAdoptionDue(head) ? [adoption, ...entries] : entries);
    },

    record(tx, entries) {
      clock.refuseLeap();
      fence.demand();
      return insertPending.run(tx, {
        kind: entries.map(({ kind }) => kind),
        ref: entries.map(({ ref }) => ref),
        body: entries.map(({ text }) => text),
        rules,
      });
    },

    async sequence(tx) {
      const [head, rows] = await Promise.all([
        openHead(tx),
        takePending.all(tx, { limit: SEQUENCE_MAX, rules }),
      ]);
      if (rows.length > 0) fence.demand(); // A newer program gives them their places.
      await storeTaken(tx, head, rows);
      return rows.length;
    },

    async upkeep(tx, all) {
      const head = await openHead(tx);
      let count = 0;
      await raiseFloor(tx, async () => {
        const rows = await takePending.all(tx, { limit: SEQUENCE_MAX, rules, all });
        if (rows.length > 0) fence.demand();
        await storeTaken(tx, head, rows);
        count = rows.length;
        return count === SEQUENCE_MAX || (await laterPending.first(tx, { rules })) !== undefined;
      });
      return count;
    },

    forget: (tx) => forgetSettled.run(tx, {}),
  };
}

/** Says how many entries have waited, where one of them waited for longer than its rule allows. */
function resumption(
  head: Head,
  now: Seconds,
  waited: readonly PendingEntry[],
): readonly PendingEntry[] {
  const { last_id } = head;
  const at = timeFor(head, now, waited);
  const isLate = waited.some((entry) => (timeOf(entry) ?? at) + PLACED_WITHIN_S < at);
  if (!isLate) return [];
  return [entryOf(kinds.ledgerResumed, { after_id: last_id, count: waited.length })];
}

const KINDS: ReadonlyMap<string, EntryKind> = new Map(ENTRY_KINDS.map((each) => [each.kind, each]));

/** The second in which an entry was made, as its kind seals it. */
function timeOf({ kind, body }: PendingEntry): Seconds | undefined {
  const record = KINDS.get(kind);
  return record && madeAt(record, body);
}

/** Waits for all before it rejects with the first failure: nothing is left that would use the transaction. */
async function allOf<const Work extends readonly Promise<unknown>[]>(work: Work) {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** The one time of entries that are placed together: none of them was made after it, and it never decreases. */
const timeFor = ({ last_at }: Head, now: Seconds, entries: readonly PendingEntry[]): Seconds =>
  entries.reduce((latest, each) => Math.max(latest, timeOf(each) ?? 0), Math.max(now, last_at));

/** Gives `entries` the ids after the head's, and their time. */
function place<E extends PendingEntry>(
  head: Head,
  now: Seconds,
  entries: readonly E[],
): (E & EntryPosition)[] {
  const at = timeFor(head, now, entries);
  return entries.map((row, i) => {
    const ledger_id = head.last_id + 1 + i;
    const entry = entryText({ id: ledger_id, at, kind: row.kind, ref: row.ref, body: row.text });
    return { ...row, ledger_id, at, leaf: leafOf(Buffer.from(entry), sha256) };
  });
}

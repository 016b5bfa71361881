import type { Context } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/engine.ts";
import { ITEM_LENGTH_MAX } from "../../platform/kernel/words/bounds.ts";
import { isAscii, wordsOf } from "../../platform/kernel/words/words.ts";
import { entryByRef, namesAfter } from "../../platform/ledger/entry-queries.ts";
import { ENTRY_KINDS } from "../entries.ts";
import { commitsWith } from "../repositories/files/queries.ts";
import { fileTexts } from "./file-words.ts";
import { type Item, itemsOf, type StoredEntry } from "./items.ts";
import { blockIdsOf, kindWord, markedWords } from "./marked-words.ts";
import * as sql from "./queries.ts";

/** Entries that one write indexes at most, and those of the first one. */
const SLICE_MAX = 500;
const SLICE_FIRST = 50;
/** UTF-16 units whose words one write indexes: some milliseconds of work, also where each word is new. */
const SLICE_UNITS = 24_000;
/** A unit of a text that is ASCII costs less: nothing in it is folded. */
const ASCII_WEIGHT = 0.4;

/** By kind: the one of the entry of the thing that is shown, not shown or worded anew after such an entry. */
const changedKind: ReadonlyMap<string, string> = new Map(
  ENTRY_KINDS.flatMap(({ kind, readers: { changes, ends } = {} }) => {
    const changed = changes ?? ends;
    return changed === undefined ? [] : [[kind, changed]];
  }),
);

/** Kinds that end a thing whose text stays public. */
const ENDING: ReadonlySet<string> = new Set(
  ENTRY_KINDS.flatMap(({ kind, readers }) => (readers?.ends === undefined ? [] : kind)),
);

type Indexing = Pick<Context, "read" | "write"> & {
  readonly yieldToRequests: () => Promise<void>;
};

/**
 * Indexes what the ledger has got, a slice after the other. No request pays for it. Of several nodes
 * one goes on, and the others stop until the job runs again. Resolves to the number of entries that
 * were looked at.
 */
export async function indexNew({ read, write, yieldToRequests }: Indexing): Promise<number> {
  let examined = 0;
  for (let limit = SLICE_FIRST; ; ) {
    const old_id = await indexedThrough(read);
    const entries = await sliceAfter(read, old_id, limit);
    if (entries.length === 0) return examined;
    const { gone, items, through_id } = await changesOf(read, entries);
    const isFirst = await write(async (tx) => {
      if ((await indexedThrough(tx)) !== old_id) return false;
      await sql.deleteProgress.all(tx, {}); // Another node waits here, before it has inserted anything.
      await sql.deleteItems.all(tx, { ids: JSON.stringify(gone) });
      await sql.insertItems(tx, items);
      await recordProgress(tx, through_id);
      return true;
    });
    if (!isFirst) return examined;
    const done = entries.filter(({ ledger_id }) => ledger_id <= through_id).length;
    examined += done;
    limit = done < entries.length ? done : Math.min(SLICE_MAX, 2 * done);
    await yieldToRequests();
  }
}

/** Inserts the row anew, which also leaves SQLite a sensible last row id behind. */
const recordProgress = (tx: Tx, through_id: number) =>
  sql.insertProgress.run(tx, { k: 1, through_id });

/** The last entry that is indexed. */
export async function indexedThrough(read: Db): Promise<number> {
  return (await sql.progress.first(read, {}))?.through_id ?? 0;
}

/** Empties the index, so that `indexNew` makes it again. */
export function forgetIndex({ write }: Pick<Context, "write">): Promise<void> {
  return write(async (tx) => {
    await sql.deleteProgress.all(tx, {});
    await sql.deleteAll.all(tx, {});
    await recordProgress(tx, 0);
  });
}

async function sliceAfter(read: Db, after_id: number, limit: number): Promise<StoredEntry[]> {
  const rows = await namesAfter.all(read, { after_id, limit });
  return rows.map(({ ledger_id, kind, ref }) => ({ ledger_id, kind, ref }));
}

/** What the beginning of a slice changes: rows that go, and rows that come. */
export async function changesOf(read: Db, slice: readonly StoredEntry[]) {
  const changes = (await Promise.all(slice.map((entry) => changesBy(read, entry)))).flat();
  const touched = changes.map(({ entry, changed }) => changed ?? entry);
  const found = await itemsOf(read, touched);
  const inFiles = await fileTexts(read, touched);
  const part = changes.slice(0, wholeEntries(changes, countIn(touched, found, inFiles)));
  const gone = part.flatMap(({ changed }) => changed ?? []);
  const withdrawn = new Set(
    gone.filter(({ by }) => ENDING.has(by)).map(({ ledger_id }) => ledger_id),
  );
  const size = blockIdsOf(read);
  const ids = new Set(touched.slice(0, part.length).map(({ ledger_id }) => ledger_id));
  const items = [...ids].flatMap((ledger_id) => {
    const item = found.get(ledger_id);
    if (item === undefined || withdrawn.has(ledger_id)) return [];
    const text = `${item.text} ${inFiles.get(ledger_id) ?? ""}`;
    const words = [kindWord(item.kind), ...wordsOf(text)];
    return { rowid: ledger_id, words: markedWords(Math.floor(ledger_id / size), words) };
  });
  // SQLite makes a part of its index of each run of rising rows.
  items.sort((a, b) => b.rowid - a.rowid);
  const through_id = part.at(-1)?.entry.ledger_id ?? 0;
  return { gone: gone.map(({ ledger_id }) => ledger_id), items, through_id };
}

/** How many of these come before the bound on one write's work; at least one. */
function countIn(
  touched: readonly StoredEntry[],
  found: ReadonlyMap<number, Item>,
  inFiles: ReadonlyMap<number, string>,
): number {
  let units = 0;
  const end = touched.findIndex(({ ledger_id }) => {
    const text = `${found.get(ledger_id)?.text ?? ""}${inFiles.get(ledger_id) ?? ""}`;
    units += Math.min(text.length, ITEM_LENGTH_MAX) * (isAscii(text) ? ASCII_WEIGHT : 1);
    return units > SLICE_UNITS;
  });
  return end < 0 ? touched.length : Math.max(1, end);
}

interface Change {
  readonly entry: StoredEntry;
  /** The entry of the thing that it changes; null where it is its own thing's. */
  readonly changed: (StoredEntry & { readonly by: string }) | null;
}

/** So many changes, or a few less or more, so that no entry is indexed in part. */
function wholeEntries(changes: readonly Change[], count: number): number {
  const cut = changes[count]?.entry;
  if (cut === undefined) return changes.length;
  const first = changes.findIndex(({ entry }) => entry === cut);
  return first > 0 ? first : changes.findLastIndex(({ entry }) => entry === cut) + 1;
}

/** Kinds of entries whose `ref` begins with the kind and the ref of the text that they change. */
const OF_A_TEXT: ReadonlySet<string> = new Set(["text_hidden", "text_shown", "text_erased"]);

/** The kind and ref of the entry of the thing that an entry changes. */
function thingChangedBy({ kind, ref }: StoredEntry): readonly [kind: string, ref: string] | null {
  const changed = changedKind.get(kind);
  const [first = "", second = ""] = ref.split("/");
  if (changed !== undefined) return [changed, first];
  if (!OF_A_TEXT.has(kind)) return null;
  return [first === "profile" ? "agent" : first, second];
}

/** The content that an entry takes away or gives back; undefined for any other entry. */
function contentChangedBy({ kind, ref }: StoredEntry): string | undefined {
  if (kind === "file_purged") return ref;
  const [of, content] = ref.split("/");
  return OF_A_TEXT.has(kind) && of === "file" ? content : undefined;
}

/** What an entry changes in the index: its own thing, one of another entry, or the commits with a content. */
async function changesBy(read: Db, entry: StoredEntry): Promise<readonly Change[]> {
  const sha256 = contentChangedBy(entry);
  if (sha256 === undefined) {
    const changes = thingChangedBy(entry);
    const changed = changes === null ? null : await changedBy(read, entry, changes);
    return [{ entry, changed }];
  }
  const commits = await commitsWith.all(read, { sha256 });
  const changed = await Promise.all(
    commits.map(({ commit_id }) => changedBy(read, entry, ["repo_commit", `${commit_id}`])),
  );
  return changed.length === 0
    ? [{ entry, changed: null }]
    : changed.map((each) => ({ entry, changed: each }));
}

/** The entry of a thing that another entry changes; null before it has its place. */
async function changedBy(
  read: Db,
  { kind: by }: StoredEntry,
  [kind, ref]: readonly [kind: string, ref: string],
): Promise<Change["changed"]> {
  const ledger_id = (await entryByRef.first(read, { kind, ref }))?.ledger_id;
  return ledger_id === undefined ? null : { ledger_id, kind, ref, by };
}

import { columnsOf, KIND_ROWS } from "../../src/domains/rows.ts";
import { DETERMINED } from "../../src/platform/ledger/rows/columns.ts";
import type { AnyKindRows } from "../../src/platform/ledger/rows/effects.ts";
import { type Declaration, declarationsOf } from "./declarations.ts";
import { type Checker, folderOf, type Source } from "./source.ts";
import { tablesWritten } from "./tables.ts";

/** Tables with a column that follows from the ledger. */
const PUBLIC = new Set(columnsOf(...DETERMINED).map(([table]) => table));

const APPEND = "src/platform/ledger/append.ts#append";
const KIND = /\bentryKind\(\{\s*kind: "(\w+)"/;
const ENACT = [
  "src/platform/ledger/rows/enact.ts#enact",
  "src/platform/ledger/rows/enact.ts#enactSurely",
  "src/platform/ledger/rows/enact-allowed.ts#enactAllowed",
  "src/domains/market/orders/take-step.ts#takeStep",
];
/** The record of a kind is named as it is. */
const RECORD = /\brows\.([a-zA-Z]+)\b/g;

/** A projector changes rows by entries that have their places. */
const PROJECTOR = /: Projector\b/;

/** How a text goes and comes back: `domains/removals/removing.ts` asks these records, and appends the entry. */
const REMOVABLE = /\bremovable\(|: Removable\b/;
const REMOVALS = ["text_erased", "text_hidden", "text_shown"];

/** Records of what entries do to rows, and those who carry them out. */
const RECORDS = /^src\/(?:.+\/)?rows\.ts$|^src\/platform\/ledger\/rows\//;

/** Functions and statements that change a public table without an entry. */
export const WITHOUT_ENTRY: Readonly<Record<string, string>> = {
  "src/domains/claims/queries.ts#markOverdue":
    "a deadline passes by itself: the claim's entry has it",
  "src/domains/counters/occurrences.ts#occurrencesOf":
    "no entry says how often something was refused",
  "src/domains/feed/threads.ts#recountThreads": "the operator has the counts made again",
  "src/domains/identity/keys/queries.ts#noteAct": "the columns are local: which act was the newest",
  "src/domains/identity/queries.ts#moveInDirectory":
    "the column is local: when an agent was last seen",
  "src/platform/ledger/sequencing/sequence.ts#moveHead": "it counts the entries themselves",
  "src/domains/transfers/network.ts#chooseOnce":
    "the first start chooses it, and `own_account` seals it",
};

/** The effects of entries on rows, as far as the source shows them. */
export interface Effects {
  /** The public tables that are changed with an entry of a kind. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  /** Ways to a statement that change a public table without an entry: the statement, and who calls whom. */
  readonly loose: readonly (readonly string[])[];
  /** Those of `WITHOUT_ENTRY` that are there. */
  readonly excepted: ReadonlySet<string>;
  /** Kinds that have a record, and that somebody appends beside it: its rows would be left out. */
  readonly beside: readonly string[];
}

export function effectsOf(
  files: readonly Source[],
  records: readonly AnyKindRows[] = KIND_ROWS,
): Effects {
  const all = new Map(declarationsOf(files).map((each) => [each.id, each]));
  const usersOf = Map.groupBy(
    [...all.values()].flatMap(({ id, names }) => [...names].map((name) => ({ id, name }))),
    ({ name }) => name,
  );
  const kindsOf = kindsIn(all, new Set(records.map(({ entry }) => entry.kind)));
  const tables = new Map<string, Set<string>>();
  const loose: (readonly string[])[] = [];
  const excepted = new Set<string>();

  /** Follows a statement up to the functions that append an entry. */
  function follow(way: readonly string[], written: readonly string[], seen: Set<string>): void {
    const id = way.at(-1) ?? "";
    if (seen.has(id)) return;
    seen.add(id);
    if (Object.hasOwn(WITHOUT_ENTRY, id)) {
      excepted.add(id);
      return;
    }
    const kinds = kindsOf.at(id);
    for (const kind of kinds ?? [])
      tables.set(kind, (tables.get(kind) ?? new Set()).union(new Set(written)));
    if (kinds !== null) return;
    const users = usersOf.get(id) ?? [];
    if (users.length === 0) loose.push(way);
    for (const user of users) follow([...way, user.id], written, seen);
  }

  for (const { entry, effects } of records)
    for (const { rows } of effects)
      if (PUBLIC.has(rows.table))
        tables.set(entry.kind, (tables.get(entry.kind) ?? new Set()).add(rows.table));
  for (const { id, path, text } of all.values()) {
    if (RECORDS.test(path)) continue;
    const written = tablesWritten(text).filter((table) => PUBLIC.has(table));
    if (written.length > 0) follow([id], written, new Set());
  }
  const sorted = [...tables].map(([kind, names]) => [kind, [...names].sort()] as const).sort();
  const appended = new Set([...all.values()].flatMap(kindsOf.appended));
  const beside = records.flatMap(({ entry: { kind }, effects, own }) =>
    effects.length > 0 && own === undefined && appended.has(kind) ? [kind] : [],
  );
  return { tables: Object.fromEntries(sorted), loose, excepted, beside };
}

/** The kinds of which a declaration appends an entry, itself or by one that it calls; null: it appends none. */
function kindsIn(all: ReadonlyMap<string, Declaration>, recorded: ReadonlySet<string>) {
  const called = ({ names, path }: Declaration): readonly Declaration[] =>
    [...names]
      .flatMap((name) => all.get(name) ?? [])
      .filter((each) => folderOf(each.path) === folderOf(path));
  const appends = ({ names }: Declaration): boolean => names.has(APPEND);

  const enacts = ({ names }: Declaration): boolean => ENACT.some((name) => names.has(name));

  function appended(each: Declaration): readonly string[] {
    if (!appends(each) && !called(each).some(appends)) return [];
    return [...each.names].flatMap((name) => KIND.exec(all.get(name)?.text ?? "")?.[1] ?? []);
  }

  function enacted(each: Declaration): readonly string[] {
    if (!enacts(each) && !called(each).some(enacts)) return [];
    const named = each.text.matchAll(RECORD).map(([, name = ""]) => kindNamed(name));
    return [...named].filter((kind) => recorded.has(kind));
  }

  const own = (each: Declaration): readonly string[] => [...appended(each), ...enacted(each)];

  function at(id: string): readonly string[] | null {
    const each = all.get(id);
    if (each === undefined) return null;
    if (PROJECTOR.test(each.text)) return [];
    if (REMOVABLE.test(each.text)) return REMOVALS;
    const kinds = own(each);
    if (kinds.length > 0) return kinds;
    const theirs = called(each).flatMap(own);
    return theirs.length > 0 ? theirs : null;
  }
  return { appended, at };
}

/** The kind whose record has a name. */
const kindNamed = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A public row changes in a function that appends an entry, or in one that only such functions call. */
export const publicRowsChangeWithAnEntry: Checker = (files) =>
  effectsOf(files).loose.map(
    (way) => `a public table changes without an entry: ${way.join(" < ")}`,
  );

/** A kind whose rows have a record is written by `enact`, which writes them, too. */
export const recordedKindsAreEnacted: Checker = (files) =>
  effectsOf(files).beside.map(
    (kind) => `${kind} is appended, and its rows have a record: enact it`,
  );

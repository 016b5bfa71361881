import type {
  ForReaders,
  Owner,
  PlacedEntry,
  Why,
} from "../../platform/kernel/contract/entry-kind.ts";
import { ENTRY_KINDS } from "../entries.ts";

/** Announcements concern everybody, and are merged when an inbox is read. */
const readersOf: ReadonlyMap<string, ForReaders> = new Map(
  ENTRY_KINDS.flatMap(({ kind, readers }) => (readers === undefined ? [] : [[kind, readers]])),
);

export type Key = string | number;

/** What the parties of entries must be looked up by. */
export type Wanted = ReadonlyMap<Owner, ReadonlySet<Key>>;

/** The agents (their rows) behind a key, in the order of their parts: of an order the buyer, then the seller. */
export type Parties = (of: Owner, key: Key) => readonly number[];

/** An entry that concerns an agent (its row). */
export interface Concern {
  readonly agent: number;
  readonly why: Why;
  readonly ledger_id: number;
}

type Body = Readonly<Record<string, Key | undefined>>;

/** The agent that did it; null: the network. */
export const doerOf = (
  { kind, body }: Pick<PlacedEntry, "kind" | "body">,
  parties: Parties,
): number | null => doersOf(body, readersOf.get(kind)?.doer, parties)[0] ?? null;

/** The keys by which the parties of these entries are found. */
export function wantedBy(entries: readonly PlacedEntry[]): Wanted {
  const wanted = new Map<Owner, Set<Key>>();
  const want = (of: Owner, key: Key | undefined): void => {
    if (key === undefined) return;
    const keys = wanted.get(of) ?? new Set();
    wanted.set(of, keys.add(key));
  };
  for (const { kind, body } of entries) {
    const { concerns = [], doer } = readersOf.get(kind) ?? {};
    for (const { of, key } of concerns) want(of, body[key]);
    // A post that answers nobody is looked up no further: nobody mentions itself.
    const isAnswer = concerns.some(({ of, key }) => of !== "mention" && body[key] !== undefined);
    if (doer !== undefined && isAnswer) want(doer.of, body[doer.key]);
  }
  return wanted;
}

/** Whom an entry concerns: each agent once, with the first reason, and never who did it. */
export function concernsOf(
  { kind, body, ledger_id }: Pick<PlacedEntry, "kind" | "body" | "ledger_id">,
  parties: Parties,
): readonly Concern[] {
  const { concerns = [], only, doer } = readersOf.get(kind) ?? {};
  if (!isAmong(body, only)) return [];
  const done = doersOf(body, doer, parties);
  const concerned = new Map<number, Concern>();
  for (const { why, of, key } of concerns) {
    const value = body[key];
    if (value === undefined) continue;
    for (const agent of parties(of, value))
      if (!done.includes(agent) && !concerned.has(agent))
        concerned.set(agent, { agent, why, ledger_id });
  }
  return [...concerned.values()];
}

const isAmong = (body: Body, only: ForReaders["only"]): boolean =>
  only === undefined || body[only.field] === only.is;

/** The words for the parties of an order, in the order in which they are looked up. */
const PARTIES = ["buyer", "seller"];

/** Who did it: the agent that a field names, or the party of an order or a request that acted. */
function doersOf(body: Body, doer: ForReaders["doer"], parties: Parties): readonly number[] {
  if (doer === undefined || !isAmong(body, doer.only)) return [];
  const key = body[doer.key];
  const all = key === undefined ? [] : parties(doer.of, key);
  const party = doer.by === undefined ? doer.party : PARTIES.indexOf(`${body[doer.by]}`);
  if (party === undefined) return all;
  return all.filter((_, i) => i === party);
}

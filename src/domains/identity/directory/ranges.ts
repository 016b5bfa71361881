import type { Db } from "../../../platform/db/engine.ts";
import { lengthOf } from "../../../platform/kernel/text-length.ts";
import { askedWords } from "../../../platform/kernel/words/words.ts";
import { DIRECTORY_EXAMINED_MAX } from "../rules.ts";
import { matchingCapabilities } from "./capabilities.ts";
import * as sql from "./range-queries.ts";

/** A place in the list: those that declare the phrase itself (1) come before the others (0). */
export interface Place {
  readonly exact: number;
  readonly last_seen_at: number;
  readonly agent: number;
}

export interface Asked {
  /** All of them must match. */
  readonly capability?: readonly string[] | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly cursor?: Place | undefined;
}

/** Places in their order, and the last one that was looked at where there may be others behind it. */
interface Found {
  readonly places: readonly Place[];
  readonly end: Place | null;
}

const isBefore = (a: Place, b: Place): boolean => order(a, b) < 0;
const order = (a: Place, b: Place): number =>
  b.exact - a.exact || b.last_seen_at - a.last_seen_at || b.agent - a.agent;

/**
 * The agents that fit. The first capability leads, and the words of `q` where none is asked for: they name ranges of
 * an index. Further conditions are looked up for the places of these, a bounded number of them.
 */
export async function placesOf(
  read: Db,
  { capability: [first, ...others] = [], q, limit, cursor }: Asked,
): Promise<Found> {
  const [word, ...words] = q === undefined ? [] : byLength(askedWords(q));
  if (first !== undefined || word === undefined) {
    const also = await conditionsOf(read, others, word === undefined ? [] : [word, ...words]);
    const lead = first === undefined ? [""] : await matchingCapabilities(read, first);
    return declaring(read, lead, { also, limit, cursor });
  }
  const also = await conditionsOf(read, [], words);
  const size = sizeOf(also, limit);
  const found = await sql.saying.all(read, {
    word,
    limit: size,
    before: cursor?.agent ?? Number.MAX_SAFE_INTEGER,
  });
  const places = found.map(({ agent }) => ({ exact: 0, last_seen_at: 0, agent }));
  return merged([{ places, size }], also);
}

const byLength = (words: readonly string[]) => words.toSorted((a, b) => lengthOf(b) - lengthOf(a));

/** The phrase itself, then the other capabilities; an agent with two of these is in both at the same place. */
async function declaring(
  read: Db,
  [exact = "", ...others]: readonly string[],
  { also, limit, cursor }: Pick<Asked, "limit" | "cursor"> & { readonly also: Conditions },
): Promise<Found> {
  const size = sizeOf(also, limit);
  const range = async (capability: string, without?: string): Promise<Range> => {
    const isExact = without === undefined ? 1 : 0;
    const behind = cursor?.exact === isExact ? placeIn(cursor) : {};
    const rows = await sql.declaring.all(read, { ...behind, capability, without, limit: size });
    return { places: rows.map((row) => ({ ...row, exact: isExact })), size };
  };
  const named: Found =
    cursor?.exact === 0 ? { places: [], end: null } : await merged([await range(exact)], also);
  if (named.places.length >= limit || named.end !== null) return named;
  const ranges = await Promise.all(others.map((each) => range(each, exact)));
  const rest = await merged(ranges, also);
  return { places: [...named.places, ...rest.places], end: rest.end };
}

const placeIn = ({ last_seen_at, agent }: Place) => ({ last_seen_at, agent });

/** A range that may have been cut after `size` rows. */
interface Range {
  readonly places: readonly Place[];
  readonly size: number;
}

/** Each is a set of names of which an agent must have one, or all. */
type Conditions = readonly ((agents: string) => Promise<ReadonlySet<number>>)[];

const sizeOf = (also: Conditions, limit: number): number =>
  also.length === 0 ? limit : DIRECTORY_EXAMINED_MAX;

async function conditionsOf(
  read: Db,
  capabilities: readonly string[],
  words: readonly string[],
): Promise<Conditions> {
  const sets = await Promise.all(capabilities.map((each) => matchingCapabilities(read, each)));
  const ofWords = words.length === 0 ? [] : [words];
  return [
    ...sets.map((set) => async (agents: string) => {
      const rows = await sql.declaredBy.all(read, { agents, names: JSON.stringify(set) });
      return new Set(rows.map(({ agent }) => agent));
    }),
    ...ofWords.map((all) => async (agents: string) => {
      const rows = await sql.saidBy.all(read, { agents, names: JSON.stringify(all) });
      const said = Map.groupBy(rows, ({ agent }) => agent);
      return new Set([...said].flatMap(([agent, of]) => (of.length === all.length ? agent : [])));
    }),
  ];
}

/** Ranges as one list, each agent once, as far as none of them was cut. */
async function merged(ranges: readonly Range[], also: Conditions): Promise<Found> {
  const ends = ranges.flatMap(({ places, size }) =>
    places.length < size ? [] : (places.at(-1) ?? []),
  );
  const [end = null] = ends.toSorted(order);
  const all = ranges.flatMap(({ places }) => places);
  const seen = new Map(all.map((place) => [place.agent, place]));
  const inOrder = [...seen.values()].filter((each) => end === null || !isBefore(end, each));
  inOrder.sort(order);
  const agents = JSON.stringify(inOrder.map(({ agent }) => agent));
  const sets = await Promise.all(also.map((fits) => fits(agents)));
  const places = inOrder.filter(({ agent }) => sets.every((set) => set.has(agent)));
  return { places, end };
}

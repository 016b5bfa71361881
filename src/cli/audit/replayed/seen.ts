import type { Compared } from "../figures.ts";

/** What one answer showed. */
export interface Seen {
  /** Figures that were compared. */
  readonly compared: number;
  readonly objects: number;
  /** Figures that the ledger leaves open, by the places of their fields. */
  readonly open: ReadonlyMap<string, number>;
  readonly differing: ReadonlyMap<string, Compared>;
  /** Fields and words that this version does not know. */
  readonly newer: ReadonlySet<string>;
}

export const NOTHING_SEEN: Seen = {
  compared: 0,
  objects: 0,
  open: new Map(),
  differing: new Map(),
  newer: new Set(),
};

/** Two answers as one. */
export const together = (one: Seen, other: Seen): Seen => ({
  compared: one.compared + other.compared,
  objects: one.objects + other.objects,
  open: new Map(
    [...one.open.keys(), ...other.open.keys()].map((place) => [
      place,
      (one.open.get(place) ?? 0) + (other.open.get(place) ?? 0),
    ]),
  ),
  differing: new Map([...one.differing, ...other.differing]),
  newer: one.newer.union(other.newer),
});

/** Collects what an answer shows. */
export function seenIn() {
  const open = new Map<string, number>();
  const differing = new Map<string, Compared>();
  const newer = new Set<string>();
  let [compared, objects] = [0, 0];
  return {
    compared: () => void compared++,
    object: () => void objects++,
    open: (place: string) => void open.set(place, (open.get(place) ?? 0) + 1),
    newer: (what: string) => void newer.add(what),
    differ(name: string, claimed: unknown, recomputed: unknown): void {
      const figure = { name, claimed: shortText(claimed), recomputed: shortText(recomputed) };
      differing.set(name, figure);
    },
    seen: (): Seen => ({
      compared,
      objects,
      // Most answers leave these empty, and an audit has many answers.
      open: open.size === 0 ? NOTHING_SEEN.open : open,
      differing: differing.size === 0 ? NOTHING_SEEN.differing : differing,
      newer: newer.size === 0 ? NOTHING_SEEN.newer : newer,
    }),
  };
}

export type Collector = ReturnType<typeof seenIn>;

/** An answer that is refused, or is not, against the ledger. */
export function refusedSeen(code: unknown, made: string | undefined): Seen {
  const all = seenIn();
  all.compared();
  if (code !== made) all.differ("answer", code ?? "shown", made ?? "shown");
  return all.seen();
}

const SHOWN_MAX = 200;

function shortText(value: unknown): string | null {
  if (value == null) return null;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

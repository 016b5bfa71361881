/** What was asked for last, within a bound. */
export interface Shelf<Key, Kept> {
  get(key: Key): Kept | undefined;
  /** Keeps something, and drops what was not asked for the longest until all fits. */
  keep(key: Key, kept: Kept): void;
}

/** A shelf for things of which `sizeOf` tells how much they take of `max`. */
export function shelfOf<Key, Kept>(max: number, sizeOf: (kept: Kept) => number): Shelf<Key, Kept> {
  const all = new Map<Key, Kept>();
  let size = 0;

  function drop(key: Key): Kept | undefined {
    const kept = all.get(key);
    if (kept === undefined) return;
    all.delete(key);
    size -= sizeOf(kept);
    return kept;
  }

  function keep(key: Key, kept: Kept): void {
    drop(key);
    all.set(key, kept);
    size += sizeOf(kept);
    for (const oldest of all.keys()) {
      if (size <= max) return;
      drop(oldest);
    }
  }

  return {
    get(key) {
      const kept = all.get(key);
      if (kept === undefined) return;
      all.delete(key); // Those asked for last stand last.
      all.set(key, kept);
      return kept;
    },
    keep,
  };
}

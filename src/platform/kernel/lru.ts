interface LruOptions<Value> {
  /** What all values may take together, in the unit of `sizeOf`. */
  readonly max: number;
  readonly sizeOf: (value: Value) => number;
}

/** A least-recently-used cache, bounded by the sizes of its values. */
interface Lru<Key, Value> {
  get(key: Key): Value | undefined;
  /** Keeps a value and drops the least recently used ones until all fit. */
  set(key: Key, value: Value): void;
}

export function lru<Key, Value>({ max, sizeOf }: LruOptions<Value>): Lru<Key, Value> {
  const values = new Map<Key, Value>();
  let size = 0;

  function drop(key: Key): void {
    const value = values.get(key);
    if (value === undefined) return;
    values.delete(key);
    size -= sizeOf(value);
  }

  return {
    get(key) {
      const value = values.get(key);
      if (value === undefined) return;
      values.delete(key); // A Map iterates in insertion order, so the last used stands last.
      values.set(key, value);
      return value;
    },
    set(key, value) {
      drop(key);
      values.set(key, value);
      size += sizeOf(value);
      for (const oldest of values.keys()) {
        if (size <= max) return;
        drop(oldest);
      }
    },
  };
}

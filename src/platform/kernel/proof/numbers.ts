/** Ids that share a page: so few that ids far apart, which only a forged ledger has, cost little more than their entries. */
const PAGE = 256;

/** A whole number from 1 to 2^32 - 1 for each id, in 4 bytes where ids are dense. A Map would end at 2^24 of them. */
export interface NumbersById {
  /** Undefined where none is set, as in a Map. */
  get(id: number): number | undefined;
  set(id: number, value: number): void;
  delete(id: number): void;
  /** Each that is set. */
  all(): Iterable<readonly [id: number, value: number]>;
}

export function numbersById(): NumbersById {
  const pages = new Map<number, Uint32Array>();
  return {
    get: (id) => pages.get(Math.floor(id / PAGE))?.[id % PAGE] || undefined,
    set(id, value) {
      const at = Math.floor(id / PAGE);
      const page = pages.get(at) ?? new Uint32Array(PAGE);
      page[id % PAGE] = value;
      pages.set(at, page);
    },
    delete(id) {
      const page = pages.get(Math.floor(id / PAGE));
      if (page !== undefined) page[id % PAGE] = 0;
    },
    *all() {
      for (const [at, page] of pages)
        for (const [i, value] of page.entries()) if (value !== 0) yield [at * PAGE + i, value];
    },
  };
}

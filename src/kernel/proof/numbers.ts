/** Ids that share a page: so few that ids far apart, which only a forged ledger has, cost little more than their entries. */
const PAGE = 256;

/** A whole number below 2^32 for each id, in 4 bytes where ids are dense. A Map would end at 2^24 of them. */
export interface NumbersById {
  /** 0 where none was set. */
  get(id: number): number;
  set(id: number, value: number): void;
  /** Each that is not 0. */
  all(): Iterable<readonly [id: number, value: number]>;
}

export function numbersById(): NumbersById {
  const pages = new Map<number, Uint32Array>();
  return {
    get: (id) => pages.get(Math.floor(id / PAGE))?.[id % PAGE] ?? 0,
    set(id, value) {
      const at = Math.floor(id / PAGE);
      const page = pages.get(at) ?? new Uint32Array(PAGE);
      page[id % PAGE] = value;
      pages.set(at, page);
    },
    *all() {
      for (const [at, page] of pages)
        for (const [i, value] of page.entries()) if (value !== 0) yield [at * PAGE + i, value];
    },
  };
}

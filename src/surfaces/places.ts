import { PAGE_STEP } from "../kernel/page.ts";

/** Small reads together, and large pages together, have so many places. */
export const PLACES = 32;

/** Items of a page that take one place. */
const ITEMS_PER_PLACE = 25;

/** The most items of a small read: a page of the usual length. */
const SMALL_ITEMS_MAX = 100;

/** What a read says of the page that it wants. */
interface Asked {
  readonly limit?: unknown;
  readonly inSteps?: true | undefined;
}

/** Runs `work` once there are places for it, or what it waits for, outside of them. */
type Run = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Where reads are made. On the embedded engine they wait only for themselves: all that came in one
 * turn of the event loop would go forward side by side, hold their rows and answers at the same
 * time, and keep everybody else waiting until the last one is done.
 */
export interface Reads {
  /**
   * Runs `work` in a place for every 25 items that its input asks for, in the order of asking; a page
   * that is read in steps holds the items of one step. Large pages queue by themselves, so that no
   * small read waits behind many of them. What `work` runs `outside` leaves its places to others
   * meanwhile.
   */
  make<T>(asked: Asked, work: (outside: Run) => Promise<T>): Promise<T>;
}

export function readsIn(count: number): Reads {
  const small = placesOf(count);
  const large = placesOf(count);
  return {
    make({ limit, inSteps }, work) {
      const items = typeof limit === "number" ? limit : 1;
      const held = inSteps === true ? Math.min(items, PAGE_STEP) : items;
      const places = Math.min(count, Math.ceil(held / ITEMS_PER_PLACE));
      const { inside, outside } = items > SMALL_ITEMS_MAX ? large : small;
      return inside(places, () => work((waiting) => outside(places, waiting)));
    },
  };
}

/** Lets work begin in its order; what had to wait begins in a later turn of the event loop. */
function placesOf(count: number) {
  const waiting: { readonly places: number; readonly begin: () => void }[] = [];
  let free = count;
  let isAdmitting = false;

  async function enter(places: number): Promise<void> {
    if (waiting.length === 0 && places <= free) free -= places;
    else await new Promise<void>((begin) => waiting.push({ places, begin }));
  }

  function admit(): void {
    isAdmitting = false;
    for (let next = waiting[0]; next !== undefined && next.places <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.places;
      next.begin();
    }
  }

  function leave(places: number): void {
    free += places;
    if (waiting.length === 0 || isAdmitting) return;
    isAdmitting = true;
    setImmediate(admit);
  }

  return {
    async inside<T>(places: number, work: () => Promise<T>): Promise<T> {
      await enter(places);
      try {
        return await work();
      } finally {
        leave(places);
      }
    },
    async outside<T>(places: number, work: () => Promise<T>): Promise<T> {
      leave(places);
      try {
        return await work();
      } finally {
        await enter(places);
      }
    },
  };
}

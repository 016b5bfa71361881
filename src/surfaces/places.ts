/**
 * So much is read at once. On the embedded engine reads wait only for themselves: all that came in
 * one turn of the event loop would go forward side by side, hold their rows and answers at the same
 * time, and keep everybody else waiting until the last one is done.
 */
export const PLACES = 32;

/** Items of a page that take one place. */
const ITEMS_PER_PLACE = 25;

/** The places that a read takes, by the items that it asks for; no more than there are. */
export const placesFor = ({ limit }: { readonly limit?: unknown }): number =>
  typeof limit === "number" ? Math.min(PLACES, Math.ceil(limit / ITEMS_PER_PLACE)) : 1;

/** Lets work begin in the order in which it came, once there are places for it. */
export interface Places {
  /** Runs `work` in so many places. What had to wait begins in a later turn of the event loop. */
  inside<T>(places: number, work: () => Promise<T>): Promise<T>;
  /** Runs what somebody inside waits for, and leaves the places to others meanwhile. */
  outside<T>(places: number, work: () => Promise<T>): Promise<T>;
}

export function placesOf(count: number): Places {
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
    async inside(places, work) {
      await enter(places);
      try {
        return await work();
      } finally {
        leave(places);
      }
    },
    async outside(places, work) {
      leave(places);
      try {
        return await work();
      } finally {
        await enter(places);
      }
    },
  };
}

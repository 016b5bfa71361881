import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SCAN_WINDOW, SCAN_WINDOW_MAX, type Source, scanOldest } from "./scan.ts";

interface Row {
  readonly id: number;
  readonly isShown: boolean;
}

/** A list behind an id, as an index gives it. */
const sourceOf = (all: readonly Row[], after_id: number, limit: number): Source<Row> => {
  const left = all.filter(({ id }) => id > after_id);
  return {
    rows: async (window) =>
      left
        .slice(0, window)
        .filter(({ isShown }) => isShown)
        .slice(0, limit),
    endAfter: async (skipped) => left[skipped],
  };
};

/** All that a walk by pages shows. */
async function walked(lists: readonly (readonly Row[])[], limit: number): Promise<number[]> {
  const ids: number[] = [];
  for (let after_id = 0; ; ) {
    const sources = lists.map((all) => sourceOf(all, after_id, limit));
    const { rows, through_id } = await scanOldest(sources, limit);
    ids.push(...rows.map(({ id }) => id));
    if (through_id === null) return ids;
    assert.ok(through_id > after_id);
    after_id = through_id;
  }
}

test("a walk shows each row once, in order, however many are not to be shown", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(2), fc.constantFrom(1, 1, 3, SCAN_WINDOW + 3)), { maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      async (runs, limit) => {
        const lists: Row[][] = [[], [], []];
        const shown: number[] = [];
        let id = 0;
        for (const [list, n] of runs)
          for (let i = 0; i < n; i++) {
            const isShown = n < SCAN_WINDOW || i === 7;
            lists[list]?.push({ id: ++id, isShown });
            if (isShown) shown.push(id);
          }
        assert.deepEqual(await walked(lists, limit), shown);
      },
    ),
  ));

test("one look examines so many rows at most, and says where to go on", async () => {
  const rows = Array.from({ length: SCAN_WINDOW_MAX + 2 }, (_, i) => ({
    id: i + 1,
    isShown: i > SCAN_WINDOW_MAX,
  }));
  const first = await scanOldest([sourceOf(rows, 0, 5)], 5);
  assert.deepEqual(first, { rows: [], through_id: SCAN_WINDOW_MAX });
  assert.deepEqual(await walked([rows], 5), [SCAN_WINDOW_MAX + 2]);
});

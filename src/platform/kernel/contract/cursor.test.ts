import assert from "node:assert/strict";
import { test } from "node:test";
import { cursorOf } from "./cursor.ts";

const { cursor, after, page } = cursorOf("r", "at", "id");

test("a cursor is the place of the last item, and is read as it was given", () => {
  const items = [
    { at: 9, id: 3, name: "c" },
    { at: 9, id: 1, name: "a" },
    { at: -4, id: 2, name: "b" },
  ];
  const first = page(items, 2);
  assert.deepEqual([first.items.length, first.more, first.next], [2, true, "r.9.1"]);
  assert.deepEqual(cursor.parse(first.next), { at: 9, id: 1 });
  assert.deepEqual(cursor.parse(after({ at: -4, id: 2 })), { at: -4, id: 2 });
  assert.deepEqual(page(items, 3), { items, more: false, next: null });
});

test("a cursor of another list, or none, is refused in one sentence", () => {
  const other = [
    "f.1.2",
    "r.1",
    "r.1.2.3",
    "r.1.x",
    "r.1.2 ",
    "",
    "r..1",
    `r.1.${"9".repeat(16)}`,
    "r.1.2\n",
  ];
  for (const text of other) {
    const { error } = cursor.safeParse(text);
    assert.deepEqual(
      error?.issues.map(({ message }) => message),
      ["is not one of this list; take next from its last answer"],
      text,
    );
  }
});

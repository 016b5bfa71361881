import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";

/**
 * Compares a text with the checked-in file of that name in `test/golden/`, so that whatever it
 * describes changes only as a visible diff. `npm run golden` rewrites the file instead.
 */
export function matchesGolden(name: string, actual: string): void {
  const file = new URL(`golden/${name}`, import.meta.url);
  if (process.env["TEST_GOLDEN"] === "write") writeFileSync(file, actual);
  else assert.equal(actual, readFileSync(file, "utf8"), `test/golden/${name}; see npm run golden`);
}

/** Where two JSON values differ, one line for each place. */
function* differences(was: unknown, is: unknown, place = ""): Generator<string> {
  if (isTree(was) && isTree(is)) {
    for (const key of new Set([...Object.keys(was), ...Object.keys(is)]))
      yield* differences(was[key], is[key], `${place}/${key}`);
  } else if (was !== is) {
    yield `${place}: ${JSON.stringify(was) ?? "nothing"} became ${JSON.stringify(is) ?? "nothing"}`;
  }
}

const isTree = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Compares a JSON document; a failure names each place that changed. */
export function matchesGoldenJson(name: string, actual: object): void {
  const text = `${JSON.stringify(actual, null, 2)}\n`;
  if (process.env["TEST_GOLDEN"] !== "write") {
    const golden: unknown = JSON.parse(
      readFileSync(new URL(`golden/${name}`, import.meta.url), "utf8"),
    );
    const changes = [...differences(golden, JSON.parse(text))];
    assert.deepEqual(changes, [], `test/golden/${name} changed; see npm run golden`);
  }
  matchesGolden(name, text);
}

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

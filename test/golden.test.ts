import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesGolden, matchesGoldenJson } from "./golden.ts";

test("a golden file that changed is shown by its first changes, whatever their number", () => {
  const lines = Array.from({ length: 1_000 }, (_, i) => `${i} ${"x".repeat(1_000)}`);
  const compares = [
    () => matchesGolden("cross-folder-reads.json", lines.join("\n")),
    () => matchesGoldenJson("cross-folder-reads.json", lines),
  ];
  for (const compare of compares)
    assert.throws(compare, ({ message }: Error) => {
      assert.match(
        message,
        /^test\/golden\/cross-folder-reads\.json changed\. If that is meant, run `npm run golden`/,
      );
      assert.match(message, /\nand \d+ more$/);
      return message.length < 5_000;
    });
});

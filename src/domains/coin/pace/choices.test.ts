import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { paceChoices, paceLines } from "./choices.ts";

const DEFAULT = 20;

test("the table of the page is what the settings allow", () => {
  const page = readFileSync(
    new URL("../../../../docs/operating/limits.md", import.meta.url),
    "utf8",
  );
  const rows = paceChoices(DEFAULT).map(({ perHour, firstDay, thirtiethDay, poolYears }) => {
    const coins = [firstDay, thirtiethDay].map((n) => n.toLocaleString("en")).join(" | ");
    return `| ${perHour ?? "none"} | ${coins} | ${poolYears ?? "no bound"} |`;
  });
  assert.ok(page.includes(rows.join("\n")), rows.join("\n"));
});

test("without a bound on registrations an address earns what the pace allows", () => {
  const [none, paced] = paceLines(0);
  assert.match(none ?? "", /any number of coins on its first day/);
  assert.match(paced ?? "", /360 coins on its first day, 360 on its 30th/);
});

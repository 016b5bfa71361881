import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Rule } from "../src/cli/audit/served/compare/rule.ts";
import { HOSTED_PAGES } from "../src/cli/audit/served/pages.ts";
import { ROUTES } from "../src/cli/audit/served/questions.ts";
import { contracts } from "../src/contracts.ts";
import type { Operation } from "../src/kernel/contract/operation.ts";

const operations: readonly Operation[] = Object.values(contracts).flatMap((contract) =>
  Object.values<Operation>(contract),
);

test("every read of the contracts is compared, or it is said why not", () => {
  assert.deepEqual(
    ROUTES.map(({ operation }) => operation),
    operations,
  );
  const isRead = ({ operation, entry }: (typeof ROUTES)[number]): boolean =>
    (operation.method === "GET") === !("writes" in entry);
  assert.deepEqual(
    ROUTES.filter((route) => !isRead(route)).map(({ operation }) => operation.path),
    [],
  );
});

/** Fields that no entry tells, by the reason. */
function untoldIn(
  rule: Rule<never>,
  name: string,
): readonly (readonly [why: string, name: string])[] {
  if (rule.untold !== undefined) return [[rule.untold, name]];
  const inner = Object.entries(rule.fields ?? {}).flatMap(([field, of]) => untoldIn(of, field));
  return rule.each === undefined ? inner : [...inner, ...untoldIn(rule.each, name)];
}

/** The line of a route in the table of the document. */
function lineOf({ operation: { path }, entry }: (typeof ROUTES)[number]): readonly string[] {
  if ("writes" in entry) return [];
  if ("why" in entry) return [`| \`${path}\` | no: ${entry.why} |`];
  const own = "own" in entry ? ["with a token"] : [];
  if (!("audited" in entry)) return [`| \`${path}\` | its figures |`];
  const byWhy = Map.groupBy(untoldIn(entry.audited, ""), ([why]) => why);
  const but = [...byWhy].map(([why, all]) => {
    const names = [...new Set(all.map(([, name]) => `\`${name}\``))].join(", ");
    return `${names} (${why})`;
  });
  const whole = "figures" in entry ? "its figures; `you`" : "yes";
  return [
    `| \`${path}\` | ${[whole, ...own].join(" ")}${but.length === 0 ? "" : `, but ${but.join("; ")}`} |`,
  ];
}

test("the document has every route with what is not compared of it", () => {
  const page = readFileSync(new URL("../docs/reference/audit.md", import.meta.url), "utf8");
  const lines = [...ROUTES.flatMap(lineOf), `| \`${HOSTED_PAGES}\` | the bytes of hosted pages |`];
  const [, table = ""] = page.split("| Route | Compared |\n|---|---|\n");
  const shown = table.split("\n\n")[0]?.split("\n") ?? [];
  assert.deepEqual(shown, lines, `The table should be:\n${lines.join("\n")}`);
});

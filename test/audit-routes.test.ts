import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type * as z from "zod";
import { HOSTED_PAGES } from "../src/cli/audit/replayed/pages.ts";
import {
  FIGURES,
  NOT_ASKED,
  OWN,
  ROUTES,
  type Route,
  UNTOLD,
} from "../src/cli/audit/replayed/routes.ts";

test("reasons are given for routes and fields that there are", () => {
  const reads = new Map(
    ROUTES.filter(({ operation }) => operation.method === "GET").map((route) => [
      route.name,
      route,
    ]),
  );
  const named = [
    ...Object.keys(NOT_ASKED),
    ...FIGURES,
    ...Object.keys(OWN),
    ...Object.keys(UNTOLD),
  ];
  assert.deepEqual(
    named.filter((name) => !reads.has(name)),
    [],
  );
  const unknown = Object.entries(UNTOLD).flatMap(([name, fields]) => {
    const output = reads.get(name)?.operation.output;
    const has = (place: string) => output !== undefined && hasPlace(output, place.split("."));
    return Object.keys(fields).flatMap((place) => (has(place) ? [] : [`${name} ${place}`]));
  });
  assert.deepEqual(unknown, []);
});

/** Whether a schema has a field at a place; items of lists have no name. */
function hasPlace(schema: z.core.$ZodType, [first, ...rest]: readonly string[]): boolean {
  const { def } = schema as z.ZodType as unknown as { def: Record<string, z.core.$ZodType> };
  const inner = def["innerType"] ?? def["element"];
  if (inner !== undefined) return hasPlace(inner, first === undefined ? [] : [first, ...rest]);
  if (first === undefined) return true;
  const options: readonly z.core.$ZodType[] = Object(def)["options"] ?? [];
  const field: z.core.$ZodType | undefined = Object(def)["shape"]?.[first];
  return (
    options.some((each) => hasPlace(each, [first, ...rest])) ||
    (field !== undefined && hasPlace(field, rest))
  );
}

/** The line of a route in the table of the document. */
function lineOf({ name, operation: { method, path } }: Route): readonly string[] {
  if (method !== "GET") return [];
  const no = NOT_ASKED[name];
  if (no !== undefined) return [`| \`${path}\` | no: ${no} |`];
  const isOwn = Object.hasOwn(OWN, name);
  if (FIGURES.has(name) && !isOwn) return [`| \`${path}\` | its figures |`];
  const byWhy = Map.groupBy(Object.entries(UNTOLD[name] ?? {}), ([, why]) => why);
  const but = [...byWhy].map(
    ([why, all]) => `${all.map(([place]) => `\`${place}\``).join(", ")} (${why})`,
  );
  const whole = FIGURES.has(name) ? "its figures; everything" : "yes";
  const own = isOwn ? [whole, "with a token"] : [whole];
  return [`| \`${path}\` | ${own.join(" ")}${but.length === 0 ? "" : `, but ${but.join("; ")}`} |`];
}

test("the document has every route with what is not compared of it", () => {
  const page = readFileSync(new URL("../docs/reference/audit.md", import.meta.url), "utf8");
  const lines = [...ROUTES.flatMap(lineOf), `| \`${HOSTED_PAGES}\` | the bytes of hosted pages |`];
  const [, table = ""] = page.split("| Route | Compared |\n|---|---|\n");
  const shown = table.split("\n\n")[0]?.split("\n") ?? [];
  assert.deepEqual(shown, lines, `The table should be:\n${lines.join("\n")}`);
});

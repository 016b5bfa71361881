import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ENTRY_KINDS } from "../src/domains/entries.ts";
import { TRANSITIONS } from "../src/domains/transitions.ts";
import type { Violation } from "../src/platform/ledger/transition.ts";
import { matchesGolden } from "./golden.ts";

const PAGE = "../../docs/reference/rules.md";
const HEADING = "## Kinds\n";
const AFTER = "\n## Not rules\n";

const BY_KIND = new Map(TRANSITIONS.map((each) => [each.kind.kind, each]));

/** Text of a table's cell. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\{([^}]+)\}/g, "$1");

const row = (kind: string, { code, sentence }: Violation): string =>
  `| \`${kind}\` | ${cell(sentence)} | ${code === undefined ? "" : `\`${code}\``} |`;

test("each kind has one rule and one effect", () => {
  assert.deepEqual(
    TRANSITIONS.map(({ kind }) => kind.kind).toSorted(),
    ENTRY_KINDS.map(({ kind }) => kind).toSorted(),
  );
});

test("the page of rules has each sentence of each kind", () => {
  const rows = ENTRY_KINDS.flatMap(({ kind }) => {
    const refused = Object.values(BY_KIND.get(kind)?.refuses ?? {});
    return refused.length === 0
      ? [`| \`${kind}\` | It is always allowed. | |`]
      : refused.map((each) => row(kind, each));
  });
  const table = ["| Kind | It is refused with | Code |", "|---|---|---|", ...rows].join("\n");
  const page = readFileSync(new URL("../docs/reference/rules.md", import.meta.url), "utf8");
  const [before = "", rest = ""] = page.split(HEADING);
  const [, after = ""] = rest.split(AFTER);
  matchesGolden(PAGE, `${before}${HEADING}\n${table}\n${AFTER}${after}`);
});

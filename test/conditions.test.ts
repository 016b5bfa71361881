import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CONDITIONS } from "../src/main/conditions/conditions.ts";
import { alertsYaml, conditionRows } from "../src/main/conditions/pages.ts";
import { REASON_NAMES, REASONS, reasonRows, wrongAs } from "../src/main/conditions/reasons.ts";
import { matchesGolden, matchesTable } from "./golden.ts";

const ROOT = join(import.meta.dirname, "..");
const filesIn = (pattern: string) =>
  globSync(pattern, { cwd: ROOT }).map((path) => {
    return { path, text: readFileSync(join(ROOT, path), "utf8") };
  });

test("the rules of Prometheus and the pages are made of the conditions", () => {
  matchesGolden("../../ops/prometheus/alerts.yml", alertsYaml());
  matchesTable("docs/operating/notify.md", "## The alerts", conditionRows());
  matchesTable("docs/operating/monitor.md", "### Reasons", reasonRows());
});

test("the sentence of a reason is one that the service says, and has its advice", () => {
  const all = filesIn("src/**/!(*.test).ts").filter(({ path }) => !path.includes("conditions/"));
  const isSaid = (words: string) => all.some(({ text }) => text.includes(words));
  const others = Object.entries(REASONS).filter(([id]) => !isSaid(`wrong("${id}"`));
  assert.ok(others.length > 8, "the storage and the ledger say theirs");
  for (const [id, { name, sentence, advice }] of others) {
    const parts = sentence.split("…").filter((part) => part.length > 5);
    assert.ok(parts.length > 0 && parts.every(isSaid), `${id}: nobody says "${sentence}"`);
    assert.ok(wrongAs(name, sentence).advice.startsWith(advice), `${id} has its own advice`);
  }
  const named = new Set(Object.values(REASONS).map(({ name }) => name));
  assert.deepEqual([...named].toSorted(), REASON_NAMES.toSorted());
});

test("a document names alerts that there are, and has each figure that one reads", () => {
  const alerts = new Set<string>(CONDITIONS.map(({ alert }) => alert));
  assert.equal(alerts.size, CONDITIONS.length);
  for (const { path, text } of filesIn("{docs/{operating,guides,reference}/*.md,ops/**/*.json}"))
    for (const [, name = ""] of text.matchAll(/`(Cairn[A-Z]\w+)`|"alert": "(Cairn\w+)"/g))
      assert.ok(alerts.has(name) || name === "CairnError" || name === "", `${path} names ${name}`);
  const [{ text: figures = "" } = {}] = filesIn("docs/reference/figures.md");
  for (const { alert, test } of CONDITIONS)
    for (const [name] of test.promql.matchAll(/cairn_\w+/g))
      assert.ok(figures.includes(`\`${name}\``), `${alert} reads ${name}`);
});

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { type Checkout, checkoutOf } from "./checkout.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGE = readFileSync(join(ROOT, "docs/contributing/adding.md"), "utf8");

/** Leaving out every file in turn, and the edits of the audit, take half an hour. */
const EACH = Number(process.env["TEST_ROUNDS"] ?? 0) > 100;

/** What the page says of one file. */
interface Block {
  readonly path: string;
  readonly language: string;
  readonly text: string;
}

/** A block belongs to the file that was named last at the beginning of a line. */
function blocksOf(page: string): Block[] {
  let path = "";
  const parts = page.matchAll(
    /^`((?:src|test|docs|[A-Z]+\.md)[\w./-]*)`|^```(\w+)\n([\s\S]*?)^```$/gm,
  );
  return [...parts].flatMap(([, named, language, text]) => {
    path = named ?? path;
    return language === undefined || text === undefined ? [] : [{ path, language, text }];
  });
}

/** The text with `+` lines after the lines without a sign, or `-` words exchanged for `+` words. */
function changed(source: string, { path, text }: Block): string {
  const lines = text.trimEnd().split("\n");
  const by = (sign: string) =>
    lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1));
  const [there, gone, added] = [by(" "), by("-"), by("+")];
  const [before, after] =
    gone.length > 0
      ? [gone.join("\n"), added.join("\n")]
      : [there.join("\n"), [...there, ...added].join("\n")];
  assert.equal(source.split(before).length, 2, `${path} has this once: ${before}`);
  return source.replace(before, () => after);
}

function apply({ folder }: Checkout, blocks: readonly Block[]): void {
  for (const block of blocks) {
    const path = join(folder, block.path);
    mkdirSync(dirname(path), { recursive: true });
    const source =
      block.language === "diff" ? changed(readFileSync(path, "utf8"), block) : block.text;
    writeFileSync(path, source);
  }
}

const SETUP = "node --test --test-global-setup=test/setup.ts";

/** Those of `npm run golden` that the page changes; the tests that follow find one that is missing. */
const WRITERS = `--test-name-pattern="golden|contracts$|table are known$|sentence of each kind$"`;
const GOLDENS = ["folder-reads", "effects", "entry-kinds", "wire", "rules-page"].map(
  (name) => `test/${name}.test.ts`,
);
const FINDERS = [
  "test/tidy.test.ts",
  ...GOLDENS,
  "src/platform/db/schema.test.ts",
  "src/domains/reactions/reactions.test.ts",
];

/** Copies what `tsc` found in another folder, so that it checks again only what the change reaches. */
function rememberTypes(folder: string, from: string): void {
  const known = "dist/types.tsbuildinfo";
  if (existsSync(join(from, known))) cpSync(join(from, known), join(folder, known));
}

/** The first part of the gate that refuses the copy, with what it says; null when all pass. */
function refusalOf({ folder, run }: Checkout): string | null {
  // One process for all files, since each process loads a thousand modules.
  const together = (name: string, files: readonly string[]) => {
    const imports = files.map((file) => `import "../${file}";\n`).join("");
    writeFileSync(join(folder, `dist/${name}.test.mjs`), imports);
    return `dist/${name}.test.mjs`;
  };
  mkdirSync(join(folder, "dist"), { recursive: true });
  const steps = [
    "tsc -p .",
    `TEST_GOLDEN=write ${SETUP} ${WRITERS} ${together("goldens", GOLDENS)}`,
    `${SETUP} ${together("finders", FINDERS)}`,
    ...(EACH ? [`${SETUP} test/edits.test.ts`] : []),
  ];
  for (const step of steps) {
    const { code, text } = run(step);
    if (code !== 0) return `${step}\n${text.slice(-4_000)}`;
  }
  return null;
}

test("the page on adding is complete, and none of it is superfluous", (t) => {
  const blocks = blocksOf(PAGE);
  assert.ok(blocks.length > 15);
  const whole = checkoutOf(t);
  rememberTypes(whole.folder, ROOT);
  apply(whole, blocks);
  assert.equal(refusalOf(whole), null);
  const paths = new Set(blocks.map(({ path }) => path));
  const left = EACH ? paths : ["src/domains/handlers.ts"];
  for (const path of left) {
    const part = checkoutOf(t);
    rememberTypes(part.folder, whole.folder);
    apply(
      part,
      blocks.filter((block) => block.path !== path),
    );
    assert.notEqual(refusalOf(part), null, `without ${path}`);
  }
});

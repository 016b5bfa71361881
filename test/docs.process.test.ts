import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { leafOf } from "../src/platform/kernel/proof/entry.ts";
import { sealNode } from "../src/platform/kernel/proof/merkle.ts";
import { sha256 } from "../src/platform/ledger/sha256.ts";
import { none, same } from "./limits.ts";
import vectors from "./vectors/seal.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const textOf = (path: string) => readFileSync(join(root, "docs", path), "utf8");

/** The cells of every table row that begins with `first`, without the spaces around them. */
const rowsOf = (text: string, first: RegExp): string[][] =>
  [...text.matchAll(/^\| (.+) \|$/gm)]
    .map(([, cells = ""]) => cells.split(" | ").map((cell) => cell.trim()))
    .filter(([cell = ""]) => first.test(cell));

const code = (value: unknown): string => `\`${value}\``;

test("every dependency has its reason in decision 6", () => {
  const page = textOf("decisions/0006-dependencies.md");
  const folders = ["", "test/runtimes/", "test/frameworks/"];
  const names = folders.flatMap((folder) => {
    const path = `${folder}package.json`;
    const manifest = JSON.parse(readFileSync(join(root, path), "utf8"));
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  });
  assert.ok(names.length > 40, "the manifests are read");
  none(
    names.filter((name) => !page.includes(code(name))),
    "docs/decisions/0006-dependencies.md gives no reason for a dependency: add one, with the name in backquotes.",
  );
});

/** All that `pattern` finds in the sources, each once. */
const foundInSources = (pattern: RegExp): string[] => {
  const files = globSync("src/**/*.ts", { cwd: root }).filter((path) => !path.endsWith(".test.ts"));
  const found = files.flatMap((path) =>
    [...readFileSync(join(root, path), "utf8").matchAll(pattern)].map(([, name = ""]) => name),
  );
  return [...new Set(found)].sort();
};

/** The names in the first column of the tables under a heading, each once. */
function namesUnder(text: string, heading: string): string[] {
  const [, section = ""] = `\n${text}`.split(`\n${heading}\n`);
  const [own = ""] = section.split(/\n#+ /);
  const names = rowsOf(own, /^`/).map(([cell = ""]) => /^`([^`]+)`/.exec(cell)?.[1] ?? "");
  return [...new Set(names)].filter((name) => name !== "msg" && name !== "job").sort();
}

test("the lists of alarms, jobs and states of the signer are those of the program", () => {
  const page = textOf("operating/alarms.md");
  const alarms = foundInSources(/\b(?:alarm|report|tellOnce)\("(\w+)"/g);
  const lines = foundInSources(/\b(?:log|logger)\.error\([^;]*?"(a [a-z ]+)"\)/g);
  assert.ok(alarms.length > 5 && lines.length === 3, "alarms are found in the sources");
  const documented = namesUnder(page, "# Alarms");
  same([...alarms, ...lines], documented, "docs/operating/alarms.md has a row for each alarm.");
  const jobs = foundInSources(/\bname: "(\w+)",\s+every_ms\b/g);
  const listed = namesUnder(textOf("reference/figures.md"), "## Jobs");
  same(jobs, listed, "docs/reference/figures.md has a row for each job under Jobs.");
  const refusals = rowsOf(page, /^`signer_refuses`/).map(([cell = ""]) => cell.split("`").at(-2));
  const [, states = ""] =
    /type SignerState =\s+([^;]+)/.exec(
      readFileSync(join(root, "src/platform/ledger/seals/signer.ts"), "utf8"),
    ) ?? [];
  const known = [...states.matchAll(/"(\w+)"/g)].map(([, state = ""]) => state);
  same(
    known.filter((state) => state !== "ok"),
    refusals.map((state = "") => state),
    "docs/operating/alarms.md has a row for each state of the signer.",
  );
});

test("every link between the documents leads to a file, and to a heading of it", () => {
  const pages = globSync(["*.md", "docs/**/*.md"], { cwd: root });
  assert.ok(pages.length > 10);
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?!\w+:)([^)#]*)(?:#([^)]+))?\)/g)]
      .filter(([, path = "", heading]) => {
        const target = join(root, path === "" ? page : join(dirname(page), path));
        return !existsSync(target) || (heading && !headingsOf(target).includes(heading));
      })
      .map(([link]) => `${page} ${link}`),
  );
  none(broken, "Links between documents lead to no file, or to no heading of it.");
});

/** The headings of a page as links name them. */
const headingsOf = (path: string): string[] =>
  [...readFileSync(path, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) =>
    text
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );

test("no page and no program runs a package by a name that is not published", () => {
  const runs = /\b(?:npx|bunx|npm exec|npm x|pnpm dlx|yarn dlx) /;
  const files = [
    "*.md",
    "{docs,packages,ops}/**/*.md",
    "{bin,src,demo,packages,clients}/**/*.{ts,mjs,py}",
  ]
    .flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ["**/*.test.ts"] }))
    .filter((path) => !path.startsWith("docs/decisions/"));
  assert.ok(files.length > 500, "pages and sources are read");
  const found = files.filter((path) => runs.test(readFileSync(join(root, path), "utf8")));
  none(
    found,
    "The command downloads a package of that name, which a stranger may publish: name the installed program.",
  );
  assert.match("npx cairn-network serve", runs);
});

const ledgerPage = textOf("reference/ledger.md");

/** Lines that a page may have, with a tenth to spare. */
const LINES_MAX: Readonly<Record<string, number>> = {
  "README.md": 125,
  "docs/README.md": 66,
  "docs/operating/configuration.md": 195, // Two rows for many settings.
  "docs/operating/install.md": 200, // All that is pasted.
  "docs/operating/moderate.md": 90,
  "docs/operating/postgresql.md": 210,
  "docs/operating/troubleshoot.md": 180,
  "docs/operating/upgrade.md": 55,
};
const LINES_MAX_OF_A_PAGE = 155;

const tooLong = (path: string, text: string): string[] => {
  const [lines, most] = [text.split("\n").length - 1, LINES_MAX[path] ?? LINES_MAX_OF_A_PAGE];
  return lines > most
    ? [
        `${path} has ${lines} lines; ${most} are the limit (LINES_MAX in test/docs.process.test.ts). Operators read it in one go: cut it, or make two pages`,
      ]
    : [];
};

test("a page for operators, the map and the README are read in one go", () => {
  const pages = ["README.md", "docs/README.md", ...globSync("docs/operating/*.md", { cwd: root })];
  none(
    Object.keys(LINES_MAX).filter((path) => !pages.includes(path)),
    "LINES_MAX names a page that is gone.",
  );
  none(
    pages.flatMap((path) => tooLong(path, readFileSync(join(root, path), "utf8"))),
    "A page is too long.",
  );
  assert.equal(tooLong("docs/README.md", "A line.\n".repeat(67)).length, 1);
});

test("the worked example says what the vectors say", () => {
  const leaves = vectors.entries.map(({ entry }) => leafOf(Buffer.from(entry), sha256));
  const [, , , , fifth = new Uint8Array(), sixth = new Uint8Array()] = leaves;
  const inner = Buffer.from(sealNode(sha256)(fifth, sixth)).toString("hex");
  const known = `${JSON.stringify(vectors)} ${inner}`;
  const shown = ledgerPage.match(/\b[0-9a-f]{64}\b/g) ?? [];
  assert.ok(shown.length > 20);
  none(
    shown.filter((hash) => !known.includes(hash)),
    "docs/reference/ledger.md shows hashes that test/vectors/seal.json does not have.",
  );
  const example = vectors.proofs.items.find(({ kind }) => kind === "post");
  assert.ok(example !== undefined && ledgerPage.includes(example.entry));
  assert.ok(ledgerPage.includes(vectors.seal_texts[1]?.signed_message ?? "?"));
});

test("the program of the ledger's page proves what is sealed, and nothing that was altered", () => {
  const [, program = ""] = /```js\n(.+?)```/s.exec(ledgerPage) ?? [];
  const [post, profile] = ["post", "profile"].map(answerFor);
  assert.ok(program !== "" && post !== undefined && profile !== undefined);
  for (const answer of [post, profile]) assert.equal(run(program, answer), 0);
  const { seal, entry, path } = post;
  const forgeries = [
    { ...post, entry: entry.replace("introductions", "introduction5") },
    { ...post, path: path.map((step) => ({ ...step, side: "left" })) },
    { ...post, index: 1 },
    { ...post, seal: { ...seal, signed_at: 1 } },
    { ...post, seal: { ...seal, pubkey: "00".repeat(32) } },
  ];
  for (const forgery of forgeries) assert.equal(run(program, forgery), 1, JSON.stringify(forgery));
});

/** What `GET /seal/proof` answers for the first entry of a kind. */
function answerFor(kind: string) {
  const proof = vectors.proofs.items.find((item) => item.kind === kind);
  const seal = vectors.seals.items.find(({ seq }) => seq === proof?.seq);
  assert.ok(proof !== undefined && seal?.signed);
  return { ...proof, seal };
}

/** The exit code of the program for an answer, with the key that signed its seal in the vectors. */
function run(program: string, answer: { readonly seal: { readonly seq: number } }): number | null {
  const key = vectors.seals.items.find(({ seq }) => seq === answer.seal.seq)?.pubkey ?? "";
  const args = ["--input-type=module", "--eval", program, "check.mjs", vectors.origin, key];
  return spawnSync(process.execPath, args, { input: JSON.stringify(answer) }).status;
}

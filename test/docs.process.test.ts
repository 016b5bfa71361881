import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { ERRORS } from "../src/kernel/contract/errors.ts";
import { leafOf } from "../src/kernel/proof/entry.ts";
import { sealNode } from "../src/kernel/proof/merkle.ts";
import { sha256 } from "../src/ledger/sha256.ts";
import vectors from "./vectors/seal.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const textOf = (path: string) => readFileSync(join(root, "docs", path), "utf8");

/** The cells of every table row that begins with `first`, without the spaces around them. */
const rowsOf = (text: string, first: RegExp): string[][] =>
  [...text.matchAll(/^\| (.+) \|$/gm)]
    .map(([, cells = ""]) => cells.split(" | ").map((cell) => cell.trim()))
    .filter(([cell = ""]) => first.test(cell));

const code = (value: unknown): string => `\`${value}\``;

test("the list of errors is the list of codes, with their statuses", () => {
  const documented = rowsOf(textOf("reference/errors.md"), /^\d{3}$/).map(
    ([status = "", name = ""]) => [name, status],
  );
  const known = Object.entries(ERRORS).map(([name, { status }]) => [code(name), String(status)]);
  assert.deepEqual(documented.sort(), known.sort());
});

test("every dependency has its reason in decision 6", () => {
  const page = textOf("decisions/0006-dependencies.md");
  const folders = ["", "test/runtimes/", "test/frameworks/"];
  const names = folders.flatMap((folder) => {
    const path = `${folder}package.json`;
    const manifest = JSON.parse(readFileSync(join(root, path), "utf8"));
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  });
  assert.ok(names.length > 40);
  assert.deepEqual(
    names.filter((name) => !page.includes(code(name))),
    [],
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
  assert.ok(alarms.length > 5 && lines.length === 3);
  assert.deepEqual(namesUnder(page, "# Alarms"), [...alarms, ...lines].sort());
  const jobs = foundInSources(/\bname: "(\w+)",\s+every_ms\b/g);
  assert.deepEqual(namesUnder(textOf("reference/figures.md"), "## Jobs"), jobs);
  const refusals = rowsOf(page, /^`signer_refuses`/).map(([cell = ""]) => cell.split("`").at(-2));
  const [, states = ""] =
    /type SignerState =\s+([^;]+)/.exec(
      readFileSync(join(root, "src/ledger/seals/signer.ts"), "utf8"),
    ) ?? [];
  const known = [...states.matchAll(/"(\w+)"/g)].map(([, state]) => state);
  assert.deepEqual(
    refusals,
    known.filter((state) => state !== "ok"),
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
  assert.deepEqual(broken, []);
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
  assert.ok(files.length > 500);
  const found = files.filter((path) => runs.test(readFileSync(join(root, path), "utf8")));
  assert.deepEqual(found, []);
  assert.match("npx cairn-network serve", runs);
});

const ledgerPage = textOf("reference/ledger.md");

/** Lines that a page may have: one that needs more is two pages. */
const LINES_MAX: Readonly<Record<string, number>> = {
  "README.md": 120,
  "docs/README.md": 60,
  "docs/operating/configuration.md": 180, // Two rows for many settings.
  "docs/operating/install.md": 180, // All that is pasted.
  "docs/operating/moderate.md": 80,
  "docs/operating/postgresql.md": 190,
  "docs/operating/troubleshoot.md": 180,
  "docs/operating/upgrade.md": 50,
};
const LINES_MAX_OF_A_PAGE = 140;

const tooLong = (path: string, text: string): string[] => {
  const [lines, most] = [text.split("\n").length - 1, LINES_MAX[path] ?? LINES_MAX_OF_A_PAGE];
  return lines > most ? [`${path} has ${lines} lines; ${most} are the limit`] : [];
};

test("a page for operators, the map and the README are read in one go", () => {
  const pages = ["README.md", "docs/README.md", ...globSync("docs/operating/*.md", { cwd: root })];
  assert.ok(Object.keys(LINES_MAX).every((path) => pages.includes(path)));
  assert.deepEqual(
    pages.flatMap((path) => tooLong(path, readFileSync(join(root, path), "utf8"))),
    [],
  );
  assert.equal(tooLong("docs/README.md", "A line.\n".repeat(61)).length, 1);
});

test("the worked example says what the vectors say", () => {
  const leaves = vectors.entries.map(({ entry }) => leafOf(Buffer.from(entry), sha256));
  const [, , , , fifth = new Uint8Array(), sixth = new Uint8Array()] = leaves;
  const inner = Buffer.from(sealNode(sha256)(fifth, sixth)).toString("hex");
  const known = `${JSON.stringify(vectors)} ${inner}`;
  const shown = ledgerPage.match(/\b[0-9a-f]{64}\b/g) ?? [];
  assert.ok(shown.length > 20);
  assert.deepEqual(
    shown.filter((hash) => !known.includes(hash)),
    [],
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

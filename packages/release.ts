import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { NAMES, PACKAGES } from "./manifests.ts";

const ROOT = join(import.meta.dirname, "..");
const USAGE = "usage: npm run release -- X.Y.Z [--image-digest sha256:HEX]";
const NUMBER = /^(\d+)\.(\d+)\.(\d+)$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const FROM = /^(FROM node:[\w.-]+)(?:@sha256:[0-9a-f]{64})?/gm;
const UNRELEASED = "## Unreleased\n";
const RELEASES = "## Releases\n";

const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");
const run = (file: string, ...args: string[]) =>
  execFileSync(file, args, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();

/** The version to release. */
interface Release {
  readonly version: string;
  /** Of the image of Node for all platforms; null to keep the one that stands there. */
  readonly digest: string | null;
}

function releaseIn(words: readonly string[]): Release | null {
  const options = { "image-digest": { type: "string" } } as const;
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
  const [version = "", ...more] = positionals;
  const digest = values["image-digest"] ?? null;
  const isFit = NUMBER.test(version) && more.length === 0;
  return isFit && (digest === null || DIGEST.test(digest)) ? { version, digest } : null;
}

const isNewer = (version: string, than: string): boolean =>
  version.localeCompare(than, "en", { numeric: true }) > 0;

/** Why nothing can be released now; null when it can. */
function whyNot({ version, digest }: Release): string | null {
  const { version: last } = JSON.parse(textOf("package.json"));
  if (git("status", "--porcelain") !== "") return "Commit what has changed first.";
  if (git("branch", "--show-current") !== "main") return "Releases are made on the branch main.";
  if (git("tag", "--list", `v${version}`) !== "") return `The tag v${version} exists.`;
  if (!isNewer(version, last)) return `${version} is not newer than ${last}.`;
  const [, news = ""] = textOf("CHANGELOG.md").split(UNRELEASED);
  if (!/^\s*###/.test(news)) return "CHANGELOG.md says nothing under Unreleased.";
  const isPinned = textOf("Dockerfile")
    .match(FROM)
    ?.every((image) => image.includes("@sha256:"));
  if (digest === null && !isPinned)
    return "The Dockerfile names Node without its digest: add --image-digest.";
  return null;
}

function rewrite(path: string, change: (text: string) => string): void {
  writeFileSync(join(ROOT, path), change(textOf(path)));
}

/** Writes the version wherever it stands. */
function writeVersion({ version, digest }: Release, day: string): void {
  const set = (text: string) => text.replace(/^( +"version": ").+(",)$/m, `$1${version}$2`);
  rewrite("package.json", set);
  rewrite("package-lock.json", (text) => {
    const [head = "", ...rest] = text.split('"packages": {');
    return [set(head), ...rest.map(set)].join('"packages": {');
  });
  rewrite("CHANGELOG.md", (text) =>
    text.replace(UNRELEASED, `${UNRELEASED}\n## ${version}: ${day}\n`),
  );
  if (digest !== null) rewrite("Dockerfile", (text) => text.replaceAll(FROM, `$1@${digest}`));
}

/** Builds and packs every package; a line of a table for each. */
function hashes(): string[] {
  const folder = mkdtempSync(join(tmpdir(), "cairn-release-"));
  try {
    run("npm", "run", "-s", "build", "--", ...Object.keys(PACKAGES));
    return Object.keys(PACKAGES).map((key) => {
      const args = ["pack", "--silent", "--pack-destination", folder];
      const cwd = join(ROOT, "dist/packages", key);
      const name = execFileSync("npm", args, { cwd, encoding: "utf8" }).trim();
      const bytes = readFileSync(join(folder, name));
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      return `| \`${NAMES[key as keyof typeof PACKAGES]}\` | ${bytes.length} | \`${sha256}\` |`;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writeNotes(version: string, day: string): void {
  const rows = ["| Package | Bytes | SHA-256 of the tarball |", "|---|---|---|", ...hashes()];
  const text = `# ${version}\n\nReleased on ${day}. News: [changelog](../../CHANGELOG.md).\n`;
  mkdirSync(join(ROOT, "docs/releases"), { recursive: true });
  writeFileSync(join(ROOT, `docs/releases/${version}.md`), `${text}\n${rows.join("\n")}\n`);
  const line = `- [${version}](releases/${version}.md)\n`;
  rewrite("docs/README.md", (index) =>
    index.includes(RELEASES)
      ? index.replace(`${RELEASES}\n`, `${RELEASES}\n${line}`)
      : `${index}\n${RELEASES}\n${line}`,
  );
}

/** Makes a commit and a tag. Pushes nothing, publishes nothing. */
function release(what: Release): void {
  const { version } = what;
  const day = new Date().toISOString().slice(0, 10);
  run("npm", "run", "-s", "check");
  writeVersion(what, day);
  run("npm", "run", "-s", "golden");
  run("npm", "run", "-s", "build:verifier");
  run("npm", "run", "-s", "release:wire");
  writeNotes(version, day);
  run("git", "add", "--all");
  run("git", "commit", "--quiet", "--message", `release: ${version}`);
  run("git", "tag", "--annotate", `v${version}`, "--message", `Cairn ${version}`);
  console.log(`v${version} is tagged. Publish it as docs/contributing/release.md says.`);
}

const what = releaseIn(process.argv.slice(2));
const fault = what === null ? USAGE : whyNot(what);
if (what === null || fault !== null) {
  console.error(fault);
  process.exitCode = what === null ? 2 : 1;
} else release(what);

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkoutOf } from "./checkout.ts";
import { pack } from "./packed.ts";

const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;
const GIT = "git -c user.name=ada -c user.email=ada@example.org";

test("a release is one commit and a tag, with the version and the hashes everywhere", (t) => {
  const { folder, run } = checkoutOf(t);
  const path = (name: string) => join(folder, name);
  const read = (name: string) => readFileSync(path(name), "utf8");
  const edit = (name: string, from: string | RegExp, to: string) =>
    writeFileSync(path(name), read(name).replace(from, to));
  const must = (command: string) => {
    const { code, text } = run(command, {
      GIT_AUTHOR_NAME: "ada",
      GIT_AUTHOR_EMAIL: "ada@example.org",
      GIT_COMMITTER_NAME: "ada",
      GIT_COMMITTER_EMAIL: "ada@example.org",
    });
    assert.equal(code, 0, text);
    return text.trim();
  };
  const refused = (words: string) => {
    const { code, text } = run(`node packages/release.ts ${words}`);
    return [code, text.trim()];
  };
  // The gate and the golden files have tests of their own.
  edit("package.json", /("check"): ".+"/, '$1: "node --version"');
  edit("package.json", /("golden"): ".+"/, '$1: "node --version"');
  edit("Dockerfile", /@sha256:\w+/g, "");
  edit("CHANGELOG.md", "## Unreleased\n", "## Unreleased\n\n### Features\n- There is more.\n");
  must(`git init -q -b main && git add --all && ${GIT} commit -q -m "a: start"`);

  const last = JSON.parse(read("package.json")).version;
  assert.deepEqual(refused("1")[0], 2);
  assert.deepEqual(refused("99.0.0 --image-digest latest")[0], 2);
  assert.deepEqual(refused(last), [1, `${last} is not newer than ${last}.`]);
  assert.match(String(refused("99.0.0")[1]), /without its digest: add --image-digest/);
  edit("CHANGELOG.md", "## Unreleased\n", "## Unreleased\n\n## 98.0.0\n");
  assert.equal(refused("99.0.0")[1], "Commit what has changed first.");
  must(`${GIT} commit -q -a -m "a: nothing is new"`);
  assert.equal(refused("99.0.0")[1], "CHANGELOG.md says nothing under Unreleased.");
  must("git reset -q --hard HEAD~1 && git checkout -q -b other");
  assert.equal(refused("99.0.0")[1], "Releases are made on the branch main.");
  must("git checkout -q main");

  must(`node packages/release.ts 99.0.0 --image-digest ${DIGEST}`);
  assert.equal(must("git status --porcelain"), "");
  assert.equal(must("git log -1 --format=%s"), "release: 99.0.0");
  assert.equal(must("git cat-file -t v99.0.0"), "tag");
  for (const [name, said] of Object.entries({
    "package.json": /^ {2}"version": "99\.0\.0",$/m,
    "package-lock.json": /^ {2}"version": "99\.0\.0",[\s\S]*^ {6}"version": "99\.0\.0",$/m,
    "CHANGELOG.md": /^## Unreleased\n\n## 99\.0\.0: \d{4}-\d\d-\d\d\n\n### /m,
    "packages/verify/verify.mjs": /^\/\/ cairn-verify 99\.0\.0,/m,
    "test/golden/released/VERSION": /^99\.0\.0\n$/,
    "docs/README.md": /\(releases\/99\.0\.0\.md\)/,
    Dockerfile: new RegExp(`(FROM node:26\\S+@${DIGEST}[\\s\\S]+){2}`),
  }))
    assert.match(read(name), said);
  const tarball = readFileSync(pack(path("dist/packages/service"), folder));
  const sha256 = createHash("sha256").update(tarball).digest("hex");
  assert.ok(read("docs/releases/99.0.0.md").includes(`| ${tarball.length} | \`${sha256}\` |`));
  assert.match(String(refused("99.0.0")[1]), /Commit what has changed first/); // The tarball is there.
});

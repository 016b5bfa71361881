import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import manifest from "../package.json" with { type: "json" };
import { manifestOf, PACKAGES, type PackageKey } from "../packages/manifests.ts";
import { eachEngine } from "./service.ts";

/** Where else a version stands, and how to find it there. */
const PLACES: Readonly<Record<string, RegExp>> = {
  "package-lock.json": /^ {2}"version": "(.+)",$/m,
  "CHANGELOG.md": /^## (\d+\.\d+\.\d+)\b/m,
  "src/client/routes.ts": /VERSION = "(.+)"/,
  "clients/python/cairn.py": /^VERSION = "(.+)"$/m,
  "packages/verify/verify.mjs": /^\/\/ cairn-verify (\S+),/m,
};

const root = join(import.meta.dirname, "..");
const texts = Object.fromEntries(
  Object.keys(PLACES).map((path) => [path, readFileSync(join(root, path), "utf8")]),
);

const othersIn = (all: Readonly<Record<string, string>>, version: string): string[] =>
  Object.entries(PLACES)
    .filter(([path, pattern]) => pattern.exec(all[path] ?? "")?.[1] !== version)
    .map(([path]) => path);

test("every place says the version of the root manifest", () => {
  const { version } = manifest;
  assert.deepEqual(othersIn(texts, version), []);
  for (const [path, text] of Object.entries(texts))
    assert.deepEqual(othersIn({ ...texts, [path]: text.replaceAll(version, "0.1.0") }, version), [
      path,
    ]);
  for (const key of Object.keys(PACKAGES) as PackageKey[])
    assert.match(JSON.stringify(manifestOf(key)), new RegExp(`"version":"${version}"`));
});

test("the wire that changes are compared with is not of a later version", () => {
  const released = readFileSync(join(root, "test/golden/released/VERSION"), "utf8").trim();
  assert.ok(released.localeCompare(manifest.version, "en", { numeric: true }) <= 0, released);
});

test("compilers that know no exports find the types of each entry of the client", () => {
  const { exports, types, typesVersions } = PACKAGES.client;
  const byExports = Object.entries<object | string>(exports).flatMap(([name, entry]) =>
    typeof entry === "object" && "types" in entry
      ? [[name.replace(/^\.\/?/, ""), entry.types]]
      : [],
  );
  const byVersions = Object.entries(typesVersions["*"]).map(([name, [file]]) => [name, file]);
  assert.deepEqual([["", types], ...byVersions], byExports);
});

eachEngine("the first entry names protocol 1", async ({ get, sequenced }) => {
  await sequenced();
  const { body } = await get("/since?after_id=0&limit=1");
  assert.equal(body.entries[0].body.protocol_version, 1);
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

interface Locked {
  readonly packages: Readonly<
    Record<
      string,
      { resolved?: string; integrity?: string; optionalDependencies?: Record<string, string> }
    >
  >;
}

/** Packages that the lock file's packages want and that it does not have. */
function missingIn({ packages }: Locked): string[] {
  const names = Object.keys(packages).map((path) => path.split("node_modules/").at(-1));
  const present = new Set(names);
  return Object.values(packages)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter((name) => !present.has(name));
}

test("the lock file has the packages of every platform, and no registry's address", () => {
  const file = join(import.meta.dirname, "../package-lock.json");
  const lock: Locked = JSON.parse(readFileSync(file, "utf8"));
  // npm leaves out what it could not look up, and `npm ci` then fails on every machine.
  assert.deepEqual(missingIn(lock), []);
  assert.ok(Object.values(lock.packages).every(({ resolved }) => resolved === undefined));
});

test("each package has the hash of its bytes", () => {
  for (const folder of ["..", "runtimes", "frameworks"]) {
    const file = join(import.meta.dirname, folder, "package-lock.json");
    const { packages }: Locked = JSON.parse(readFileSync(file, "utf8"));
    const bare = Object.entries(packages).filter(
      ([path, { integrity = "" }]) => path !== "" && !integrity.startsWith("sha512-"),
    );
    assert.deepEqual(bare, [], folder);
  }
});

test("a missing package of another platform is found", () => {
  const optionalDependencies = { "tool-linux": "1.0.0", "tool-mac": "1.0.0" };
  const packages = { "node_modules/tool": { optionalDependencies }, "node_modules/tool-linux": {} };
  assert.deepEqual(missingIn({ packages }), ["tool-mac"]);
});

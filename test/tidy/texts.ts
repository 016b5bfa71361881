import { HOOKS } from "../../packages/test-processes.ts";
import type { Checker } from "./source.ts";

/** A function without a home is a missing noun; only a package begins with an `index.ts`. */
const BANNED_WORDS = new Set(["util", "utils", "helper", "helpers", "common", "manager", "misc"]);

export const namesAreNouns: Checker = (files) =>
  files
    .map(({ path }) => path)
    .filter((path) => /^(?:src|test|bench)\//.test(path))
    .filter(
      (path) =>
        path.split(/[/.-]/).some((word) => BANNED_WORDS.has(word)) ||
        (path.endsWith("/index.ts") && path !== "src/client/index.ts"),
    )
    .map((path) => `${path} has a name that says nothing; name it by the noun that it is about`);

const matching =
  (pattern: RegExp, which: RegExp, fault: string): Checker =>
  (files) =>
    files.flatMap(({ path, source }) => {
      const match = which.test(path) ? pattern.exec(source) : null;
      return match === null ? [] : [`${path} ${fault}: ${match[0].trim()}`];
    });

export const nothingIsLeftToDo = matching(
  /\b(?:TO-?DO|FIX-?ME|X{3}|HA[C]K)\b/,
  /\.(?:ts|sql)$/,
  "has a note to oneself",
);

/** Canonical ordering takes the square of a run of marks, so only `normalized` of platform/kernel/text.ts orders. */
export const oneNormalises = matching(
  /\.normalize\(\s*["'`)]|\bunicodedata\b/,
  /^(?:src\/(?!platform\/kernel\/text(?:\.test)?\.ts).*\.ts|(?:clients|packages|bin)\/.*)$/,
  "normalises text itself",
);

export const nothingNamesAMachine = matching(
  /(?:^|[\s"'`(=])(?:\/(?:work|tmp|root|home)\/|\.\.\/shared\b)|"resolved": ?"/m,
  /./,
  "names a place outside the project",
);

const GATE = [
  "#!/bin/sh",
  "set -eu",
  'cd "$(dirname "$0")/.."',
  "# Tests clone repositories with the git of the system, and run the documented proxies and Prometheus.",
  "missing=no",
  "for program in git nginx caddy haproxy promtool; do",
  "  command -v $program > /dev/null || missing=yes",
  "done",
  "test $missing = no || { apt-get update && apt-get install --yes --no-install-recommends git nginx caddy haproxy prometheus; }",
  "(npm ci --prefix test/runtimes && npm ci --prefix test/frameworks) &",
  "npm ci",
  "wait $!",
  "TEST_BESIDE=required npm run check",
  "",
];
const CHECK = [
  "node bin/tools.mjs",
  "biome ci",
  "tsc -p .",
  "tsc -p tsconfig.client.json --noEmit",
  "knip",
];

/** The gate is a clean install, then lint, types, dead code, and the tests that the README names. */
export const gateChecksEverything: Checker = (files) => {
  const textOf = (name: string) => files.find(({ path }) => path === name)?.source ?? "";
  const command = /\bnpm (?:run )?test\b[\w:-]*/.exec(textOf("README.md"))?.[0];
  if (command === undefined) return ["README.md names no test command"];
  const check = JSON.stringify([...CHECK, command].join(" && "));
  return [
    ...(textOf(".ci/run") === GATE.join("\n")
      ? []
      : [`.ci/run is not as GATE in test/tidy/texts.ts: ${GATE.join("; ")}`]),
    ...(textOf("package.json").includes(`"check": ${check}`) ? [] : [`check is not ${check}`]),
  ];
};

/** Names that the glossary replaced by the field's terms, as files and as exports. */
const OLD_FILES =
  /\/(?:arrivals|breather|crowd|duties|furnish|gone|guards|heads|joined-world|kept[\w-]*|moves|own-process|pins|places|raw|shelf|sighting|turns|world)(?:\.test)?\.ts$/;
const OLD_EXPORTS =
  /export (?:abstract |async )?(?:class|const|function|interface|type) (?:Arrivals|Crowd|KeptTable|Road|Shelf|Sighting|Surroundings|World|breathe|breather|crowdOf|furnish|openWorld|readsIn|rememberedBooks|shelfOf|turnsOf|whenGone)\b/;

export const oldNamesAreGone: Checker = (files) =>
  files
    .filter(({ path }) => /^src\//.test(path))
    .filter(({ path, source }) => OLD_FILES.test(path) || OLD_EXPORTS.test(source))
    .map(
      ({ path }) =>
        `${path} has a name that was replaced; take the field's term (OLD_FILES and OLD_EXPORTS in test/tidy/texts.ts)`,
    );

/** A domain is what has handlers. */
export const domainsHaveTests: Checker = (files) => {
  const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/"));
  const tested = new Set(
    files.filter(({ path }) => path.endsWith(".test.ts")).map(({ path }) => folderOf(path)),
  );
  return files
    .filter(({ path }) => /^src\/(?:platform|domains)\/\w+\/handlers\.ts$/.test(path))
    .map(({ path }) => folderOf(path))
    .filter((folder) => !tested.has(folder))
    .map(
      (folder) => `${folder} has handlers and no test: add ${folder}/${folder.slice(4)}.test.ts`,
    );
};

const STARTS =
  /from "(?:node:(?:child_process|cluster)|playwright-core|@modelcontextprotocol\/client\/stdio|[./\w-]*\/(?:checkout|cloning|console-service|failover-load|litewitness|process|site|guide|simulation|chromium)\.ts)"/;

/** So that `npm run test:quick` can leave them out. */
export const processTestsSaySo: Checker = (files) =>
  files
    .filter(({ path }) => path.endsWith(".test.ts"))
    .filter(({ path, source }) => STARTS.test(source) !== path.endsWith(".process.test.ts"))
    .map(({ path }) => `${path}: tests that start processes, and only they, are *.process.test.ts`);

/** A process may run several test files; the hooks of a helper would run around the tests of all. */
export const helpersHaveNoHooks: Checker = (files) =>
  files
    .filter(({ path }) => path.startsWith("test/") && !path.endsWith(".test.ts"))
    .filter(({ source }) => HOOKS.test(source))
    .map(({ path }) => `${path} has hooks, which belong into test files`);

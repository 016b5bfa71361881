import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { matchesGolden } from "../../test/golden.ts";
import { SETTINGS } from "../main/settings/settings.ts";
import { helpOf } from "./command/help.ts";
import { endOf } from "./command/runner.ts";
import { allCommands, commandIn, commandList, unknownCommand } from "./commands.ts";

const GOLDEN = new URL("../../test/golden/", import.meta.url);

const { own, operator } = await allCommands();
const COMMANDS = [...own, ...operator];

test("the list of commands and the help of each say what they said", async () => {
  const lists = await Promise.all(["--help", "market"].map(commandList));
  const pages = [...lists.map(({ page }) => page), ...COMMANDS.map((each) => helpOf(each))];
  matchesGolden("help.txt", pages.map((page) => `${page}\n`).join("\n\n\n"));
});

test("no line of help is longer than 100 columns", () => {
  const long = COMMANDS.flatMap((each) => helpOf(each).split("\n")).filter(
    (line) => line.length > 100,
  );
  assert.deepEqual(long, []);
});

test("each command is found by its name", async () => {
  for (const command of COMMANDS) {
    const words = [...command.name.split(" "), "--help"];
    assert.deepEqual(await commandIn(words), { command, rest: ["--help"] });
  }
});

/** Compares a page of the guide with what the program makes of it; `npm run golden` writes it. */
function isPage(name: string, made: (page: string) => string): void {
  const file = `../../docs/operating/${name}.md`;
  matchesGolden(file, made(readFileSync(new URL(file, GOLDEN), "utf8")));
}

test("the page of commands names each, and no other", () => {
  const page = readFileSync(new URL("../../docs/operating/commands.md", GOLDEN), "utf8");
  const named = [...page.matchAll(/^\| (`[a-z-]+[^|]+) \|/gm)].flatMap(([, cell = ""]) => {
    const [first = "", ...others] = [...cell.matchAll(/`([a-z -]+)`/g)].map(
      ([, name = ""]) => name,
    );
    const [group] = first.split(" ");
    const isOf = (name: string) => COMMANDS.some((each) => each.name === `${group} ${name}`);
    return [first, ...others.map((name) => (isOf(name) ? `${group} ${name}` : name))];
  });
  assert.deepEqual(named.sort(), COMMANDS.map(({ name }) => name).sort());
});

test("the tables of settings are those of the program", () => {
  const code = (text: string) => `\`${text}\``;
  const tables = [...Map.groupBy(SETTINGS, ({ group }) => group)].map(([group, settings]) => {
    const rows = settings.map(({ variable, flag, fallback, meaning }) => {
      const shown = fallback === null ? "none" : code(String(fallback));
      return `| ${code(variable)} | ${code(`--${flag}`)} | ${shown} | ${meaning} |`;
    });
    const head = ["| Variable | Flag | Default | Meaning |", "|---|---|---|---|"];
    return [`### ${group}\n`, ...head, ...rows].join("\n");
  });
  const between = /(?<=## All settings\n\n)[\s\S]*?(?=\n\nTwo flags have no variable)/;
  isPage("configuration", (page) => page.replace(between, () => tables.join("\n\n")));
});

test("words that name no command are told so", async () => {
  for (const word of ["toString", "market", "market toString", "__proto__", ""])
    assert.equal(await commandIn(word.split(" ")), null, word);
});

test("a mistyped command is told what may have been meant", async () => {
  for (const [typed, meant] of [
    ["agent lst", "agent list"],
    ["reprot list", "report list"],
    ["verfy", "verify"],
    ["post hdie", "post hide"],
    ["doktor", "doctor"],
  ] as const) {
    const said = await unknownCommand(typed.split(" "), false);
    assert.ok(said.startsWith(`There is no command "${typed}". Did you mean ${meant}`), said);
  }
  const far = await unknownCommand(["xyzzy"], false);
  assert.equal(far, 'There is no command "xyzzy". `cairn --help` lists them.');
});

test("a wrong setting is wrong usage, and names its variable", async () => {
  const restored = ["restore", "copy"];
  for (const [name = "", ...operands] of [["serve"], ["doctor"], restored, ["market", "due"]]) {
    const found = await commandIn([name, ...operands]);
    assert.ok(found);
    for (const [words, environment] of [
      [["--port", "x"], {}],
      [[], { CAIRN_PORT: "x" }],
    ] as const) {
      const ended = await endOf(found.command, [...found.rest, ...words], environment);
      assert.deepEqual([ended.exit_code, ended.stream], [2, "stderr"]);
      assert.match(ended.text, /^CAIRN_PORT is "x"; allowed is a port number/);
    }
  }
});

for (const { name } of COMMANDS)
  test(`cairn ${name} tells about an option that it does not have`, async () => {
    const found = await commandIn(name.split(" "));
    assert.ok(found);
    const { exit_code, stream, text } = await endOf(found.command, ["--hepl"]);
    assert.deepEqual([exit_code, stream], [2, "stderr"]);
    assert.equal(
      text,
      `There is no option --hepl. Did you mean --help? See \`cairn ${name} --help\`.`,
    );
  });

test("the nearest option is named, unless none is near", async () => {
  const serve = own.find(({ name }) => name === "serve");
  assert.ok(serve);
  const said = async (...words: string[]) => (await endOf(serve, words)).text;
  assert.match(await said("--prot", "1"), /^There is no option --prot\. Did you mean --port\? /);
  assert.match(await said("--dev_chain=on"), /--dev_chain\. Did you mean --dev-chain\? /);
  assert.match(await said("--zzzz"), /^There is no option --zzzz\. See `cairn serve --help`/);
  assert.match(await said("-x"), /^There is no option -x\. See `cairn serve --help`\.$/);
  assert.match(
    await said("--port"),
    /'--port <value>' argument missing\. See `cairn serve --help`/,
  );
  assert.match(await said("8080"), /^"8080" is one word too many\. See `cairn serve --help`/);
});

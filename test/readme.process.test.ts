import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { cloneTo } from "./checkout.ts";
import { blocksOf, ROOT } from "./guide.ts";
import { freePort } from "./ports.ts";
import { folderFor } from "./site.ts";

/** The commands of the README in their order, without comments; a line that ends with \ goes on. */
const COMMANDS = blocksOf(readFileSync(join(ROOT, "README.md"), "utf8"))
  .filter(({ language }) => ["sh", "console"].includes(language))
  .flatMap(({ text }) =>
    text
      .replaceAll(/\\\n */g, "")
      .trim()
      .split("\n"),
  )
  .map((line) => line.replace(/ {2,}#.*$| # .*$/, "").trim());

/** Long commands are run on less; a figure of the benchmark may be missed on a machine that is busy. */
const SMALLER: Readonly<Record<string, string>> = {
  "npm run demo": "npm run demo -- --agents=3 --days=3",
  "npm ci && npm test": "npm ci && npm test -- src/platform/kernel/money.test.ts",
  "npm run bench": "npm run bench -- --quick --only=starting --entries=20000 || true",
};
const GIT = "git clone <this repository> cairn && cd cairn";
const GATE = "npm run check"; // This test is a part of it.
const SERVING = /^npm (?:ci --omit=dev && npm start|run demo -- --serve --keep)$/;

/** Scripts that need more than a service does. */
const TOOLS = ["test", "bench", "build -- client", "check", "format", "golden"];

/** A shell that keeps its variables from command to command, as that of a reader does. */
function shellIn(t: TestContext, cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn("bash", [], { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  t.after(() => process.kill(-(child.pid ?? Number.NaN), "SIGKILL"));
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  let runs = 0;
  const printed = async (command: string): Promise<string> => {
    const [from, end] = [output.length, `END ${++runs} `];
    child.stdin.write(`${command}\necho "${end}$?"\n`);
    while (!output.slice(from).includes(end)) await pause(50);
    const [text = "", code] = output.slice(from).split(end);
    assert.equal(code?.trim(), "0", `${command}\n${text}`);
    return text;
  };
  return { printed };
}

/** Runs a command in a window of its own until it prints that it serves. */
async function serving(t: TestContext, command: string, cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn("bash", ["-c", command], { cwd, env, detached: true });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const ended = once(child, "close");
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null)
      process.kill(-(child.pid ?? Number.NaN), "SIGTERM");
    await ended;
  };
  t.after(stop);
  let isOver = false;
  void ended.then(() => (isOver = true));
  while (!/serving|Ctrl-C/i.test(output)) {
    assert.ok(!isOver, `${command} ended:\n${output}`);
    await pause(50);
  }
  return { stop };
}

test("every command of the README works in the checkout that it makes, in its order", async (t) => {
  const place = folderFor(t);
  const [checkout, program] = [join(place, "cairn"), join(place, "program")];
  // Of root's processes PostgreSQL alone runs as another user, who has to reach its program.
  for (const each of [place, dirname(place)]) chmodSync(each, 0o711);
  cloneTo(checkout);
  mkdirSync(program);
  const [port, adminPort, demoPort] = [await freePort(), await freePort(), await freePort()];
  const path = (process.env["PATH"] ?? "").split(delimiter);
  const { HOME, LANG = "C.UTF-8" } = process.env;
  const env = {
    HOME,
    LANG,
    NO_COLOR: "1",
    npm_config_prefer_offline: "true",
    npm_config_audit: "false",
    PATH: path.filter((each) => !each.includes("node_modules")).join(delimiter),
    CAIRN_PORT: `${port}`,
    CAIRN_ADMIN_PORT: `${adminPort}`,
    CAIRN_SEAL_INTERVAL_S: "1",
  };
  const here = (command: string) =>
    (SMALLER[command] ?? command)
      .replaceAll(":8080", `:${port}`)
      .replaceAll("/path/to/cairn", checkout)
      .replace("--serve", `--serve --port ${demoPort}`);
  assert.deepEqual(COMMANDS.slice(0, 2), [GIT, "npm ci --omit=dev && npm start"]);
  const { printed } = shellIn(t, checkout, env);
  for (const command of COMMANDS.slice(1)) {
    if (command === GATE) continue;
    if (SERVING.test(command)) {
      const window = await serving(t, here(command), checkout, env);
      if (command.includes("demo")) await window.stop();
      else for (const words of TOOLS) refusesWithoutTools(words, checkout, env);
    } else if (command.startsWith("npm install"))
      await printed(
        `(cd ${program} && ${here(command)} && node -e 'import("@cairn-network/client")')`,
      );
    else await printed(here(command));
  }
});

/** After `npm ci --omit=dev` a script of developers is one sentence, and no stack trace. */
function refusesWithoutTools(words: string, cwd: string, env: NodeJS.ProcessEnv): void {
  const options = { cwd, env, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync("npm", ["run", "-s", ...words.split(" ")], options);
  const [script] = words.split(" ");
  const sentence = `npm run ${script} needs the tools of developers, which npm ci --omit=dev leaves out.`;
  assert.deepEqual([status, stderr], [1, `${sentence}\nRun npm ci here once.\n`]);
}

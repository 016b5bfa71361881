import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { freePort } from "./ports.ts";
import { CAIRN } from "./process.ts";

export const ROOT = join(import.meta.dirname, "..");
const PATIENCE_MS = 600_000;

/**
 * Loaded into every process of a page: its clock is ahead by the seconds that a file holds, and
 * `cairn` is the program that the tests start.
 */
const PRELOAD = `import { readFileSync } from "node:fs";
import { registerHooks, syncBuiltinESMExports } from "node:module";
import os from "node:os";
const [now, uptime] = [Date.now, os.uptime];
const ahead = () => Number(readFileSync(process.env.TEST_AHEAD_FILE, "utf8"));
Date.now = () => now() + ahead() * 1000;
os.uptime = () => uptime() + ahead();
syncBuiltinESMExports();
const cairn = (specifier) =>
  specifier.endsWith("/src/cli/cairn.ts") ? ${JSON.stringify(pathToFileURL(CAIRN).href)} : specifier;
registerHooks({ resolve: (specifier, context, next) => next(cairn(specifier), context) });`;

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** All fenced blocks of a markdown text, also those within lists. */
export const blocksOf = (markdown: string): Block[] =>
  [...markdown.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = "", language = "", text = ""]) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }),
  );

/** A shell block, and the text that the page shows as its output. */
interface Step {
  readonly command: string;
  readonly shown: string | null;
}

const stepsOf = (blocks: readonly Block[]): Step[] =>
  blocks.flatMap(({ language, text }, i) => {
    const next = blocks[i + 1];
    const shown = next?.language === "text" ? next.text : null;
    if (language === "sh") return [{ command: text, shown }];
    const [, file] = PROGRAM_FILE.exec(text) ?? [];
    return file === undefined ? [] : [{ command: `cat >${file} <<'END'\n${text}END\n`, shown }];
  });

/** A program names its file in its first line. */
const PROGRAM_FILE = /^(?:\/\/|#) ([a-z]+\.(?:ts|py))\n/;

/**
 * Runs the `sh` blocks of a page, in order, in one shell, in a folder that looks like a fresh checkout;
 * rejects with what was printed when a command fails or prints something else than the page shows.
 * A block of a program is written into the file that its first line names.
 * A `text` block after one is what it prints; `…` stands for anything. A line that begins with
 * `npm start` starts the service in a window of its own; a page that does not begin with that finds
 * one running. Comments at the head of a block are obeyed: `# with the service stopped`,
 * `# 24 hours later`, and `# on another machine`, where the rest happens, too. Texts of the page may be replaced, such as the address of a database.
 */
export async function runGuide(
  page: string,
  replaced: Readonly<Record<string, string>> = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "cairn-guide-"));
  try {
    const [port, adminPort] = [String(await freePort()), String(await freePort())];
    const here = { ...replaced, ...HERE, ":8080": `:${port}`, ":8081": `:${adminPort}` };
    let markdown = readFileSync(join(ROOT, page), "utf8");
    for (const [shown, used] of Object.entries(here)) markdown = markdown.replaceAll(shown, used);
    const steps = stepsOf(blocksOf(markdown));
    const { code, printed, log } = await runSteps(folder, steps, {
      CAIRN_PORT: port,
      CAIRN_ADMIN_PORT: adminPort,
    });
    const last = printed.length - 1;
    const reported = `${page}, after\n\n${steps[last]?.command}\n${printed[last]}\nthe service:\n${log}`;
    if (code !== 0) throw new Error(`The shell ended with ${code}: ${reported}`);
    for (const [i, { command, shown }] of steps.entries())
      if (shown !== null && !patternOf(shown).test((printed[i] ?? "").replace(OWN_DATA, "")))
        throw new Error(`${page} shows\n\n${shown}\nbut\n\n${command}\nprints\n\n${printed[i]}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Commands in a checkout say so each time, and pages do not repeat it. */
const OWN_DATA = /^data: .* \(the ledger in this folder\)\n/gm;

/** The machines of the pages, and their folders, are here. */
const HERE = {
  "10.0.0.11": "127.0.0.1",
  "10.0.0.12": "127.0.0.2",
  "/var/lib/cairn": "data",
  "/var/backups/cairn": "backups",
};

/** A pattern for a shown output: `…` is anything. */
function patternOf(shown: string): RegExp {
  const parts = shown
    .trimEnd()
    .split("…")
    .map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join("[^]*?")}\\s*$`);
}

/** A folder that looks like a checkout in which nothing was started yet. */
function checkoutIn(folder: string, machine: string): string {
  const checkout = join(folder, machine);
  mkdirSync(checkout);
  for (const name of readdirSync(ROOT))
    if (name !== "data" && name !== ".git") symlinkSync(join(ROOT, name), join(checkout, name));
  return checkout;
}

async function runSteps(
  folder: string,
  steps: readonly Step[],
  ports: { readonly CAIRN_PORT: string; readonly CAIRN_ADMIN_PORT: string },
) {
  const out = join(folder, "out");
  mkdirSync(out);
  const checkout = checkoutIn(folder, "cairn");
  checkoutIn(folder, "another");
  const script = join(folder, "guide.sh");
  const ahead = join(folder, "ahead");
  writeFileSync(ahead, "0");
  writeFileSync(script, scriptOf(steps));
  const { PATH = "", LANG = "C.UTF-8", NODE_COMPILE_CACHE } = process.env;
  const child = spawn("bash", [script], {
    cwd: checkout,
    detached: true, // A group of its own, so that nothing of it outlives the test.
    stdio: "ignore",
    env: {
      ...ports,
      NODE_COMPILE_CACHE,
      PATH: `${join(ROOT, "node_modules/.bin")}:${PATH}`,
      LANG,
      HOME: folder,
      OUT: out,
      CAIRN_SEAL_INTERVAL_S: "1",
      CAIRN_DEV_CHAIN_PORT: "0",
      CAIRN_LOG_LEVEL: "warn",
      npm_config_script_shell: "bash", // It becomes the service, so that SIGTERM reaches that.
      TEST_AHEAD_FILE: ahead,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRELOAD)}`,
    },
  });
  const group = -(child.pid ?? Number.NaN);
  const patience = setTimeout(() => process.kill(group, "SIGKILL"), PATIENCE_MS);
  const [code] = await once(child, "close");
  clearTimeout(patience);
  try {
    process.kill(group, "SIGKILL");
  } catch {
    // All of it has ended by itself.
  }
  const read = (name: string) =>
    existsSync(join(out, name)) ? readFileSync(join(out, name), "utf8") : "";
  const begun = steps.map((_, i) => `${i}`).filter((name) => existsSync(join(out, name)));
  return { code, printed: begun.map(read), log: read("service") };
}

const PRELUDE = `set -euo pipefail
SERVICES=()
answers() { curl -fsS "http://\${CAIRN_HOST:-127.0.0.1}:$CAIRN_PORT/api/v1" >"$OUT/answer" 2>&1; }
wait_for() {
  until answers; do
    kill -0 "$1"
    sleep 0.2
  done
  SERVICES+=("$1")
}
# One that has been running for a while has a signed seal.
signs() {
  until curl -fsS "http://\${CAIRN_HOST:-127.0.0.1}:$CAIRN_PORT/api/v1/seal?limit=1" | grep -q '"signature":"'; do sleep 0.2; done
}
stop() {
  for service in "\${SERVICES[@]}"; do kill -TERM "$service"; wait "$service"; done
  SERVICES=()
}
later() { printf %s "$(($(cat "$TEST_AHEAD_FILE") + $1))" >"$TEST_AHEAD_FILE"; }
`;

function scriptOf(steps: readonly Step[]): string {
  const first = steps.find(({ command }) => SERVICE.test(command) || isStopped(command));
  const isRunning = first === undefined || isStopped(first.command);
  const before = isRunning ? [started("npm start"), "signs"] : [];
  return [PRELUDE, ...before, ...steps.map(groupOf), "stop"].join("\n");
}

const SERVICE = /^npm start.*$/m;
const isStopped = (command: string) => command.startsWith("# with the service stopped");
const HOURS_LATER = /^# (\d+) hours later$/m;

/** One block of the page; what it prints goes to a file of its own. */
function groupOf({ command }: Step, i: number): string {
  const [, hours] = HOURS_LATER.exec(command) ?? [];
  return [
    ...(hours === undefined ? [] : [`later ${Number(hours) * 3_600}`]),
    ...(isStopped(command) ? ["stop"] : []),
    ...(command.startsWith("# on another machine") ? ["cd ../another"] : []),
    `{\n${command.replace(SERVICE, started)}\n} >"$OUT/${i}" 2>&1`,
  ].join("\n");
}

const started = (command: string): string =>
  `if answers; then exit 1; fi\n${command} >>"$OUT/service" 2>&1 &\nwait_for $!`;

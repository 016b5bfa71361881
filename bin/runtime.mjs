// Finds a Node that runs Cairn, and runs it. Node 18 and other runtimes read this file, too.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MAJOR = 26;
const NAME = "cairn-network";
const WATCH_MS = 200;
/** Tells the child of `passOn` whose end is its own. */
const LAUNCHER = "LAUNCHER_PID";
const { arch, env, execPath, pid, platform, ppid, versions } = process;

export const place = (path) => new URL(`../${path}`, import.meta.url);
export const isCheckout = existsSync(place("src/cli/cairn.ts"));

/** `{ file }` of a Node that can run Cairn, or the `fault` that says what is missing and what to do. */
export function findNode() {
  const { bun, deno, node } = versions;
  if (!bun && !deno && parseInt(node, 10) >= MAJOR)
    return isCheckout && !existsSync(place("node_modules"))
      ? { fault: "This checkout has no packages yet.\nRun npm ci here once." }
      : { file: execPath };
  const runtime = bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : `Node ${node}`;
  const needs = `cairn needs Node ${MAJOR} or newer; this is ${runtime} (${execPath}).`;
  const found = isCheckout
    ? bundledNode()
    : { fault: `Install Node ${MAJOR} from https://nodejs.org.` };
  return found.file ? found : { fault: `${needs}\n${found.fault}` };
}

/** The Node that a package of this platform brings. */
function bundledNode() {
  if (!existsSync(place("node_modules"))) return { fault: "Run npm ci here once; it brings one." };
  const install = `Install Node ${MAJOR} from https://nodejs.org.`;
  const { optionalDependencies } = JSON.parse(readFileSync(place("package.json"), "utf8"));
  const system = `${platform === "win32" ? "win" : platform}-${arch}`;
  const name = Object.keys(optionalDependencies).find((each) => each.endsWith(system));
  if (!name) return { fault: `No package brings one for ${system}. ${install}` };
  const path = `${name}/bin/node${platform === "win32" ? ".exe" : ""}`;
  const file = fileURLToPath(place(`node_modules/${path}`));
  if (!existsSync(file))
    return {
      fault: `node_modules lacks the package ${name}, which brings one: it is optional. Run npm ci without --omit=optional.`,
    };
  const { status, error, stderr } = spawnSync(file, ["--version"], { encoding: "utf8" });
  if (status === 0) {
    if (platform !== "win32") mendLink(path);
    return { file };
  }
  const library = /loading shared libraries: ([\w.+-]+)/.exec(stderr ?? "")?.[1];
  if (library)
    return {
      fault: `The Node ${MAJOR} of npm needs ${library}, which this system lacks.\nInstall it; on Debian and Ubuntu libatomic.so.1 is in the package libatomic1.`,
    };
  const why = isMusl()
    ? `The Node ${MAJOR} of npm needs glibc; this system has musl, as Alpine has.`
    : `The Node ${MAJOR} of npm does not run here: ${error ? error.message : `it ended with ${status}`}.`;
  return { fault: `${why}\nInstall the Node ${MAJOR} of the system, or use a container.` };
}

/** A Node for musl reports no version of glibc. */
function isMusl() {
  process.report.excludeNetwork = true;
  return platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
}

/** npm before 11.6.2 removes this link, by which the commands of `npm run` find Node. */
function mendLink(path) {
  const link = place("node_modules/.bin/node");
  try {
    if (existsSync(link)) return;
    rmSync(link, { force: true });
    symlinkSync(`../${path}`, link);
  } catch {
    // In a checkout that this user may not write, each start finds the package again.
  }
}

/** Runs this program again with another Node: in this process where that can be, else in a child. */
export function passOn(file, words) {
  if (platform !== "win32" && process.execve) process.execve(file, [file, ...words], env);
  return runChild(file, words);
}

/** What asks a service to stop. */
const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"];

/** A signal that comes while the program is read is given to the program's own listener, once that is there. */
export function holdSignals() {
  const held = new Set();
  const listeners = new Map(STOP_SIGNALS.map((signal) => [signal, () => held.add(signal)]));
  const given = (name) => {
    const hold = listeners.get(name);
    if (!listeners.delete(name)) return;
    setImmediate(() => {
      process.off(name, hold); // Not before the other listens: without any the system ends the process.
      if (held.has(name)) process.emit(name, name);
    });
    if (listeners.size === 0) process.off("newListener", given);
  };
  for (const [signal, hold] of listeners) process.on(signal, hold);
  process.on("newListener", given);
}

/** Runs a program in a child that gets the signals of this process, and ends as it ends. */
export async function runChild(file, words) {
  const child = spawn(file, words, { stdio: "inherit", env: { ...env, [LAUNCHER]: String(pid) } });
  const passSignal = (signal) => child.kill(signal);
  for (const signal of STOP_SIGNALS) process.on(signal, passSignal);
  watchParents(() => child.kill("SIGTERM"));
  const [code, signal] = await new Promise((resolve) => {
    child.once("error", ({ message }) => {
      console.error(message);
      resolve([1, null]);
    });
    child.once("exit", (...end) => resolve(end));
  });
  if (signal) {
    for (const each of STOP_SIGNALS) process.off(each, passSignal);
    process.kill(pid, signal);
  }
  // At once: Node's own end takes the listeners away first, and a late signal would kill what has ended well.
  process.exit(code === null ? 1 : code);
}

/**
 * Calls `ended` once when what started this program ends: a script of this package, whose shell passes
 * no signal on and can outlive npm, or the launcher that this is a child of. Others may end before it.
 */
export function watchParents(ended) {
  const isChild = env[LAUNCHER] === String(ppid);
  if (!isChild && env.npm_package_name !== NAME) return;
  const runner = () => (isChild ? null : runnerOf(ppid));
  const first = runner();
  const timer = setInterval(() => {
    if (process.ppid === ppid && runner() === first) return;
    clearInterval(timer);
    ended();
  }, WATCH_MS);
  timer.unref();
}

/** The parent of a shell that runs one command; null for another program, and where there is no /proc. */
function runnerOf(shell) {
  try {
    if (!readFileSync(`/proc/${shell}/cmdline`, "utf8").split("\0").includes("-c")) return null;
    const [, parent] = readFileSync(`/proc/${shell}/stat`, "utf8").split(") ").pop().split(" ");
    return parent;
  } catch {
    return null;
  }
}

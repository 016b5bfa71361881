#!/usr/bin/env node
// Starts `cairn` from a checkout and from the package. Old Nodes read this file, and get a Node that can run it.
import * as module from "node:module";
import { fileURLToPath } from "node:url";
import { findNode, holdSignals, isCheckout, passOn, place, watchParents } from "./runtime.mjs";

/** A service holds many short-lived objects, and its heap has a bound. */
const HEAP_FLAGS = ["--max-semi-space-size=16", "--max-old-space-size=1536"];
/** Any user of the machine could run code in a service whose inspector listens. */
const NO_INSPECTOR = "--disable-sigusr1";
const { argv, channel, env, execArgv, execPath, platform } = process;
const isPreparing = isCheckout && argv[2] === "prepare";

process.on("SIGUSR1", () => {}); // The same for every other command.

const { file, fault } = findNode();
if (fault) {
  console.error(fault);
  process.exitCode = isPreparing ? 0 : 1; // An installation that is whole but for Node is no failed one.
} else if (file !== execPath) await passOn(file, [...execArgv, ...argv.slice(1)]);
else await start();

async function start() {
  if (argv[2] === "serve") {
    becomeService();
    holdSignals();
  }
  watchParents(() => process.kill(process.pid, "SIGTERM"));
  module.enableCompileCache(
    isCheckout ? fileURLToPath(place("node_modules/.cache/node")) : undefined,
  );
  if (isPreparing) await prepare();
  else await import(place(isCheckout ? "src/cli/cairn.ts" : "dist/cairn.js"));
}

/** `npm ci` fills the compile cache: this loads the service and runs nothing. */
async function prepare() {
  try {
    await import(place("src/cli/serve/serve.ts"));
    console.log(`npm start serves a network, with Node ${process.versions.node}.`);
  } catch (error) {
    console.error(`Not all packages are there: ${error.message}`);
  }
}

/** Starts Node again in this process, with the flags of a service; signals go to the same pid. */
function becomeService() {
  if (platform === "win32")
    return console.error("Windows is not tested: use WSL or the container.");
  const nameOf = (flag) => flag.split("=")[0].replace(/_/g, "-");
  const isHeapFlag = (flag) => HEAP_FLAGS.some((each) => nameOf(each) === nameOf(flag));
  const chosen = (env.NODE_OPTIONS || "").split(/\s+/).map(nameOf);
  const heapFlags = execArgv.some(isHeapFlag)
    ? []
    : HEAP_FLAGS.filter((flag) => !chosen.includes(nameOf(flag)));
  const flags = [...heapFlags, NO_INSPECTOR];
  if (channel || execArgv.includes(NO_INSPECTOR)) return;
  // One allocation arena: a service has one busy thread.
  const args = [execPath, ...execArgv, ...flags, ...argv.slice(1)];
  process.execve(execPath, args, { MALLOC_ARENA_MAX: "1", ...env });
}

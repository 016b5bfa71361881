#!/usr/bin/env node
// Starts `cairn` from a checkout and from the package. Old Nodes can read this file, so they get a sentence, no stack.
import { existsSync } from "node:fs";
import * as module from "node:module";
import { fileURLToPath } from "node:url";

/** A service holds many short-lived objects, and its heap has a bound. */
const HEAP_FLAGS = ["--max-semi-space-size=16", "--max-old-space-size=1536"];
const place = (path) => new URL(`../${path}`, import.meta.url);
const isCheckout = existsSync(place("src/cli/cairn.ts"));
const { argv, channel, env, execArgv, execPath, platform, ppid, versions } = process;

const fault = whyNot();
if (fault === null) await start();
else {
  console.error(fault);
  process.exitCode = 1;
}

/** What this runtime or checkout lacks, and what to do about it; null when it can run Cairn. */
function whyNot() {
  const { bun, deno, node } = versions;
  const runtime = bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : `Node ${node}`;
  const needs = `cairn needs Node 26 or newer; this is ${runtime} (${execPath}).`;
  const install = "Install Node 26 from https://nodejs.org, or let npm bring it:";
  const hasPackages = !isCheckout || existsSync(place("node_modules"));
  if (!bun && !deno && parseInt(node, 10) >= 26)
    return hasPackages ? null : "This checkout has no packages yet.\nRun npm ci here once.";
  if (!isCheckout) return `${needs}\n${install}\n  npx -p node@26 -p cairn-network cairn serve`;
  if (!existsSync(place("node_modules/.bin/node")))
    return `${needs}\n${install}\nRun npm ci here once; it brings Node 26.`;
  return `${needs}\nnpm start and npm run cairn use the Node 26 of this checkout.`;
}

async function start() {
  if (argv[2] === "serve") becomeService();
  module.enableCompileCache(
    isCheckout ? fileURLToPath(place("node_modules/.cache/node")) : undefined,
  );
  // `npm ci` fills the compile cache: this loads the service and runs nothing.
  if (isCheckout && argv[2] === "prepare") await import(place("src/cli/serve/serve.ts"));
  else await import(place(isCheckout ? "src/cli/cairn.ts" : "dist/cairn.js"));
}

/** Starts Node again in this process, with the flags of a service; signals go to the same pid. */
function becomeService() {
  if (platform === "win32")
    return console.error("Windows is not tested: use WSL or the container.");
  // The shell of `npm start` passes no signal on, so its end is one. A second one would end the service at once.
  if (env.npm_lifecycle_event === "start")
    setInterval(() => process.ppid === ppid || process.emit("SIGTERM"), 200).unref();
  const nameOf = (flag) => flag.split("=")[0].replace(/_/g, "-");
  const isHeapFlag = (flag) => HEAP_FLAGS.some((each) => nameOf(each) === nameOf(flag));
  const chosen = (env.NODE_OPTIONS || "").split(/\s+/).map(nameOf);
  const flags = HEAP_FLAGS.filter((flag) => !chosen.includes(nameOf(flag)));
  if (channel || execArgv.some(isHeapFlag) || flags.length === 0) return;
  // One allocation arena: a service has one busy thread.
  const args = [execPath, ...execArgv, ...flags, ...argv.slice(1)];
  process.execve(execPath, args, { MALLOC_ARENA_MAX: "1", ...env });
}

#!/usr/bin/env node
// Runs Node 26 as node.mjs does, for a script that needs the packages of developers; without words it looks for them.
import { existsSync, readFileSync } from "node:fs";
import { place } from "./runtime.mjs";

const { devDependencies } = JSON.parse(readFileSync(place("package.json"), "utf8"));
const isThere = (name) => existsSync(place(`node_modules/${name}`));
const script = process.env.npm_lifecycle_event;

if (!Object.keys(devDependencies).every(isThere)) {
  console.error(
    `${script ? `npm run ${script}` : "This"} needs the tools of developers, which npm ci --omit=dev leaves out.\nRun npm ci here once.`,
  );
  process.exitCode = 1;
} else if (process.argv.length > 2) await import("./node.mjs");

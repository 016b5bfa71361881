#!/usr/bin/env node
// Runs Node 26 with the words that follow, in a checkout: `node bin/node.mjs packages/test.ts quick`.
import { findNode, runChild } from "./runtime.mjs";

const { file, fault } = findNode();
if (file) await runChild(file, process.argv.slice(2));
else {
  console.error(fault);
  process.exitCode = 1;
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { audit } from "../src/cli/audit/command.ts";
import { endOf } from "../src/cli/command/runner.ts";
import { readOptions } from "./options.ts";
import { NETWORK, openPlace } from "./place.ts";
import { live } from "./story.ts";

const options = readOptions(process.argv.slice(2));
const folder = resolve(options.folder);
const data = join(folder, "data");
const report = join(folder, "audit.html");

if (!options.keep) await tell();
else if (!existsSync(data)) {
  console.error(`There is no story in ${folder} yet. Leave --keep out once.`);
  process.exitCode = 2;
}
if (options.serve && !process.exitCode) await serveStory();

/** Lets the agents live in a new network, and audits what they left. */
async function tell(): Promise<void> {
  rmSync(data, { recursive: true, force: true }); // Every run begins a network of its own.
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const begin = performance.now();
  const place = await openPlace(data, options, console.error);
  try {
    await live(place, options, console.log);
    const seconds = ((performance.now() - begin) / 1_000).toFixed(1);
    console.log(`\n${options.days} days were lived in ${seconds} s. Now the ledger is audited:\n`);
    const state = join(data, "heads.json");
    const { exit_code, text } = await endOf(audit, [place.url, "--html", report, "--state", state]);
    console.log(text);
    console.log(`\nThe report with its plots: ${report}`);
    process.exitCode = exit_code;
  } finally {
    await place.close();
  }
}

/** Serves the story with the system's clock until it is ended. */
async function serveStory(): Promise<void> {
  const { port } = options;
  console.log(`\nThe network is served on port ${port} and its console on ${port + 1}.`);
  console.log(
    `In another terminal, for a link: CAIRN_DATA_DIR=${data} CAIRN_ADMIN_PORT=${port + 1} npm run -s cairn -- console`,
  );
  console.log("Ctrl-C ends it.\n");
  const environment = {
    ...process.env,
    ...NETWORK,
    CAIRN_DATA_DIR: data,
    CAIRN_PORT: String(port),
    CAIRN_ADMIN_PORT: String(port + 1),
    CAIRN_CONSOLE: process.env["CAIRN_CONSOLE"] ?? "read",
  };
  const service = spawn(process.execPath, ["bin/cairn.mjs", "serve"], {
    env: environment,
    stdio: "inherit",
  });
  process.on("SIGINT", () => {}); // A terminal sends it to the service, too.
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => service.kill());
  const [code] = await once(service, "exit");
  process.exitCode = typeof code === "number" ? code : 1;
}

import { mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { audit } from "../../src/cli/audit/command.ts";
import { endOf } from "../../src/cli/command/runner.ts";
import { mirror, monitor } from "../../src/cli/log/mirror.ts";
import { verify } from "../../src/cli/verify/verify.ts";

// The commands that read a network, as one program: for each line, `client URL`, it runs one and prints how that
// ended, what it said, and the names of the files that it has left in its folder.
const [folder = "", policy = "", agent = ""] = process.argv.slice(2);
const BUNDLE = pathToFileURL(join(import.meta.dirname, "../../packages/verify/verify.mjs")).href;

const RUNS = {
  verify: (url: string, own: string) =>
    endOf(verify, [url, "--rules", "--state", `${own}/heads`, "--save", `${own}/chain`]),
  links: (url: string, own: string) => endOf(verify, [url, "--state", `${own}/heads`]),
  log: (url: string) => endOf(verify, ["--log", `${url}/tlog`, "--policy", policy]),
  audit: (url: string, own: string) =>
    endOf(audit, [url, "--sample", "1", "--state", `${own}/heads`, "--html", `${own}/page`]),
  mirror: (url: string, own: string) =>
    endOf(mirror, [`${url}/tlog`, "--to", `${own}/copy`, "--policy", policy]),
  monitor: (url: string, own: string) =>
    endOf(monitor, [`${url}/tlog`, "--to", `${own}/copy`, "--policy", policy, "--agent", agent]),
  // The one file, as a page loads it.
  async bundle(url: string) {
    const { verify: verified } = await import(BUNDLE);
    return verified({ url }).then(
      ({ exit_code }: { exit_code: number }) => ({ exit_code, text: "" }),
      ({ exitCode, message }: { exitCode?: number; message: string }) => ({
        exit_code: exitCode ?? message,
        text: message,
      }),
    );
  },
} as const;
export type Reader = keyof typeof RUNS;

for await (const line of createInterface(process.stdin)) {
  const [client = "", url = ""] = line.split(" ");
  const own = mkdtempSync(join(folder, "run-"));
  const ending = await RUNS[client as Reader](url, own);
  console.log(JSON.stringify({ ...ending, left: readdirSync(own) }));
}

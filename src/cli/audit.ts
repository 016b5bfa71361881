import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type Audit, auditOf } from "./audit/audit.ts";
import type { ServiceOptions } from "./audit/claimed-figures.ts";
import { htmlReport } from "./audit/html-report.ts";
import { SAMPLE_DEFAULT, type SampleOptions } from "./audit/served/sample.ts";
import { jsonReport, textReport } from "./audit/text-report.ts";
import { asksForJson } from "./json-option.ts";
import { messageOf, Stop, USAGE } from "./stop.ts";
import { type VerifyOptions, verifyOptions } from "./verify-options.ts";
import { plain } from "./verify-report.ts";

const HELP = `usage: cairn audit <url|file> [options]

Verifies the whole chain with every entry, as \`cairn verify --entries\` does, makes every balance,
book and count again from these entries alone, and compares them with what is claimed: by the
public answers of a service, or by the rows of an export or of a database file.

  --html FILE      write a report with plots
  --key HEX        pin the key of seal 1; once more for each key that no rotation links
  --origin TEXT    pin the origin of the chain
  --state FILE     where \`cairn verify\` remembers what it saw
  --sample N       of a service with over 10,000 objects, read so many of each list (default
                   2,000): the newest half, and as many drawn ones
  --seed TEXT      draw the same ones as an audit that printed this seed
  --all            read all of them
  --json           print one JSON object

With CAIRN_TOKEN in the environment, an agent's own orders, coins and profile are compared, too.

exit codes: 0 all figures are equal, 1 one is not or the chain does not verify, 2 wrong usage,
3 history was rewritten, 4 history was cut off, 5 it could not be read, or is damaged`;

/** `cairn audit <url|file>`: recomputes what a service claims. Its exit code. */
export async function audit(args: readonly string[]): Promise<number> {
  const { exit_code, stream, text } = await auditRun(args);
  process[stream].write(`${text}\n`);
  return exit_code;
}

/** What the command says, where, and its exit code. */
export async function auditRun(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<{
  readonly exit_code: number;
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}> {
  const isJson = asksForJson(args);
  try {
    const options = auditOptions(args, environment["CAIRN_TOKEN"]);
    if (options === null) return { exit_code: 0, stream: "stdout", text: HELP };
    const found = await auditOf(options.verify, options.service);
    if (options.html !== undefined) await writeReport(options.html, found);
    const text = isJson ? jsonReport(found) : textReport(found);
    return { exit_code: found.exit_code, stream: "stdout", text };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const { exitCode: exit_code, message } = error;
    if (!isJson) return { exit_code, stream: "stderr", text: plain(message) };
    const text = JSON.stringify({ ok: false, exit_code, error: message });
    return { exit_code, stream: "stdout", text };
  }
}

async function writeReport(file: string, found: Audit): Promise<void> {
  await writeFile(file, htmlReport(found)).catch((error: unknown) => {
    throw new Stop(USAGE, `${file} cannot be written: ${messageOf(error)}.`, error);
  });
}

interface AuditOptions {
  readonly html: string | undefined;
  readonly verify: VerifyOptions;
  readonly service: ServiceOptions;
}

/** What the arguments ask for, or null when they ask for help. A Stop when they are wrong. */
function auditOptions(args: readonly string[], token: string | undefined): AuditOptions | null {
  const { values, positionals } = parsed(args);
  if (values.help) return null;
  const { html, key = [], origin, state } = values;
  const verify = verifyOptions([
    "--entries",
    ...key.map((hex) => `--key=${hex}`),
    ...(origin === undefined ? [] : [`--origin=${origin}`]),
    ...(state === undefined ? [] : [`--state=${state}`]),
    "--",
    ...positionals,
  ]);
  return (
    verify && { html, verify, service: { ...sampleOptions(values), token: token || undefined } }
  );
}

/** How much of a service is read. A Stop for a number that is none. */
function sampleOptions({
  sample = String(SAMPLE_DEFAULT),
  seed = randomBytes(4).toString("hex"),
  all = false,
}: {
  readonly sample?: string | undefined;
  readonly seed?: string | undefined;
  readonly all?: boolean | undefined;
}): SampleOptions {
  if (!/^[1-9][0-9]{0,8}$/.test(sample)) throw new Stop(USAGE, "A --sample is a number from 1 on.");
  return { objects: all ? null : Number(sample), seed };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        html: { type: "string" },
        key: { type: "string", multiple: true },
        origin: { type: "string" },
        state: { type: "string" },
        sample: { type: "string" },
        seed: { type: "string" },
        all: { type: "boolean" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new Stop(USAGE, `${messageOf(error)} \`cairn audit --help\` tells more.`);
  }
}

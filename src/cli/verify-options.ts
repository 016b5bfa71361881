import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { baseUrlIn } from "./base-url.ts";
import { pinFault } from "./pins.ts";
import { Stop, USAGE } from "./stop.ts";

export const HELP = `usage: cairn verify <url|file> [options]

Walks the whole chain of seals of a service, or of a copy saved with --save, and checks
every link, hash and signature. What was seen is remembered and compared the next time.

  --entries        also read every entry, and check each leaf, root and text
  --key HEX        pin the key of seal 1; once more for each key that no rotation links
  --origin TEXT    pin the origin of the chain
  --save FILE      keep a copy of what was read, to be verified later without the service
  --state FILE     where to remember (default: heads.json in the user's state folder)
  --json           print one JSON object

exit codes: 0 it verifies, 1 it does not, 2 wrong usage, 3 history was rewritten (also where
a restore is claimed that nobody signed, or only a key from before a rotation that was seen),
4 history was cut off, 5 it could not be read`;

export interface VerifyOptions {
  readonly from: { readonly kind: "network" | "file"; readonly address: string };
  readonly depth: "links" | "entries";
  /** Empty when none was given. */
  readonly keys: readonly string[];
  readonly origin: string | undefined;
  readonly save: string | undefined;
  readonly state: string;
}

/** What the arguments ask for, or null when they ask for help. A Stop when they are wrong. */
export function verifyOptions(args: readonly string[]): VerifyOptions | null {
  const { values, positionals } = parsed(args);
  if (values.help) return null;
  const [named, ...more] = positionals;
  if (named === undefined || more.length > 0) throw wrong("Name one URL or file.");
  const { key: keys = [], origin, save, entries } = values;
  const fault = keys.map(pinFault).find((found) => found !== null);
  if (fault !== undefined) throw wrong(fault);
  if (origin !== undefined && !/^[!-~]+$/.test(origin)) throw wrong("An --origin has no spaces.");
  const from = placeOf(named);
  if (from.kind === "file" && save !== undefined) throw wrong("--save copies a service's chain.");
  const depth = entries ? "entries" : "links";
  return { from, depth, keys, origin, save, state: values.state ?? defaultState() };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        entries: { type: "boolean" },
        key: { type: "string", multiple: true },
        origin: { type: "string" },
        save: { type: "string" },
        state: { type: "string" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
}

/** The base URL of a service, with or without its API's path, or a file. */
function placeOf(named: string): VerifyOptions["from"] {
  // Not repeated: the URL of a database holds its password.
  if (/^(?!https?:)\w+:\/\//i.test(named)) throw wrong("A service has a URL of http or https.");
  if (!/^https?:\/\//i.test(named)) return { kind: "file", address: named };
  const address = baseUrlIn(named);
  if (address === null) throw wrong(`${named} is not a URL.`);
  return { kind: "network", address };
}

const defaultState = (): string => {
  const folder = process.env["XDG_STATE_HOME"] || join(homedir(), ".local", "state");
  return join(folder, "cairn", "heads.json");
};

const wrong = (sentence: string): Stop => new Stop(USAGE, `${sentence} --help tells more.`);

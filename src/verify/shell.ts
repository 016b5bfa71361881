import { isPublicKey } from "../platform/kernel/proof/signature.ts";
import { baseUrlIn, isWebAddress, WEB_URL } from "../platform/kernel/url.ts";
import { fileChain, saveChain } from "./file.ts";
import { networkChain } from "./network.ts";
import { outcomeOf, type VerifyOptions } from "./outcome.ts";
import { plain, plainJson } from "./plain.ts";
import { type Environment, followProxy } from "./platform.ts";
import type { Ended } from "./print.ts";
import { jsonReport, textReport } from "./report.ts";
import type { ChainSource } from "./shapes.ts";
import { messageOf, Stop, UNREADABLE, USAGE } from "./stop.ts";

const HELP = `Usage: node verify.mjs <url|file|-> [--entries] [--rules] [--key HEX]… [--origin NAME] [--state FILE] [--save FILE] [--policy FILE] [--json]

Walks the whole chain of seals of a service, or of a copy saved with --save, and checks
every link, hash and signature.

  --entries      also read every entry, and check each leaf, root and text
  --rules        the same, and check that the rules allowed each entry
  --key HEX      pin the key of seal 1; once more for each key that no rotation links
  --origin NAME  pin the origin of the chain
  --state FILE   remember the verified head there, and compare it the next time
  --save FILE    keep a copy of what was read, to be verified later without the service
  --policy FILE  compare it with the log and the witnesses that the file names (c2sp.org/tlog-policy)
  --json         print JSON

Exit codes: 0 it verifies; 1 it does not; 2 wrong usage; 3 history was rewritten;
4 history was cut off; 5 it could not be read; 6 it verifies, but is under rules that are
not known here, so nobody here knows whether every entry was allowed.`;

const WITH_VALUE = ["--key", "--origin", "--state", "--save", "--policy"];

interface Asked extends Omit<VerifyOptions, "keys"> {
  readonly keys: string[];
}

/** The base URL of a service, with or without its API's path; a file is anything else. */
function placeOf(named: string): VerifyOptions["from"] {
  if (!isWebAddress(named) && !/^\w+:\/\//.test(named)) return { kind: "file", address: named };
  return { kind: "network", address: baseOf(named) };
}

/** A Stop when it is no URL of http or https. */
export function baseOf(named: string): string {
  const address = baseUrlIn(named);
  if (address === null) throw new Stop(USAGE, `The place must be ${WEB_URL}, or a file.`);
  return address;
}

/** Reads the words of a command line. A Stop when they are wrong. */
function asked(words: readonly string[]): Asked {
  const found = new Map<string, string[]>(WITH_VALUE.map((name) => [name, []]));
  const places: string[] = [];
  let depth: VerifyOptions["depth"] = "links";
  let rules = false;
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? "";
    const [name = "", given] = word.startsWith("--") ? splitAt(word) : [];
    if (word === "--rules") rules = true;
    if (word === "--entries" || word === "--rules") depth = "entries";
    else if (word === "--json") continue;
    else if (found.has(name)) found.get(name)?.push(given ?? words[++i] ?? missing(name));
    else if (word.startsWith("-") && word !== "-")
      throw new Stop(USAGE, `There is no option ${word}.`);
    else places.push(word);
  }
  const [place] = places;
  if (place === undefined || places.length > 1)
    throw new Stop(USAGE, "Name one URL, one file, or - for standard input.");
  const last = (name: string) => found.get(name)?.at(-1);
  const keys = found.get("--key") ?? [];
  const origin = last("--origin");
  const save = last("--save");
  const from = placeOf(place);
  if (!keys.every(isPublicKey))
    throw new Stop(USAGE, "--key must be 64 lower-case hex characters, and no key of low order.");
  if (origin !== undefined && !/^[!-~]+$/.test(origin))
    throw new Stop(USAGE, "--origin must be printable ASCII characters without space.");
  if (save !== undefined && from.kind === "file")
    throw new Stop(USAGE, "--save copies a service's chain.");
  const policy = last("--policy");
  return { from, depth, rules, keys, origin, save, policy, state: last("--state") ?? null };
}

function splitAt(word: string): readonly string[] {
  const at = word.indexOf("=");
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

function missing(name: string): never {
  throw new Stop(USAGE, `${name} needs a value.`);
}

/** The chain to walk. One that is to be saved is saved first, and then read back from its copy. */
async function openChain({ from, depth, save }: VerifyOptions): Promise<ChainSource> {
  if (from.kind === "file") {
    const copy = await fileChain(from.address);
    if (depth === "links" || copy.header.entries) return copy;
    throw new Stop(USAGE, `${from.address} was saved without --entries, so it holds none.`);
  }
  const source = await networkChain(from.address, depth);
  if (save === undefined) return source;
  await saveChain(save, source);
  return fileChain(save);
}

/** Runs `verify.mjs` with these words. */
export async function endOf(words: readonly string[], environment: Environment): Promise<Ended> {
  const isJson = words.includes("--json");
  if (words.includes("--help")) return { exit_code: 0, stream: "stdout", text: HELP };
  try {
    const options = asked(words);
    if (options.from.kind === "network") await followProxy(environment);
    const outcome = await outcomeOf(options, openChain);
    const { exit_code } = outcome;
    const text = isJson ? plainJson(jsonReport(outcome)) : textReport(outcome);
    return { exit_code, stream: "stdout", text };
  } catch (error) {
    const exit_code = error instanceof Stop ? error.exitCode : UNREADABLE;
    const message = messageOf(error);
    return isJson
      ? {
          exit_code,
          stream: "stdout",
          text: plainJson({ ok: false, exit_code, error: message }),
        }
      : { exit_code, stream: "stderr", text: plain(message) };
  }
}

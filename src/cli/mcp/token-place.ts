import { existsSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import { Stop, USAGE } from "../command/stop.ts";
import { contentOf, replaceFile } from "./token-file.ts";

/** Characters of the hash in the name of a folder. */
const HASH_CHARS = 16;

/** A host without an underscore and a path of plain segments: no other such address has the same folder. */
const PLAIN = /^https?:\/\/[^_/]+(?:\/[A-Za-z0-9.-]+)*$/;
/** A scheme at the usual port of the other one. */
const CROSSED = /^(?:http:\/\/[^/]+:443|https:\/\/[^/]+:80)(?:\/|$)/;

const isPlain = (baseUrl: string): boolean => PLAIN.test(baseUrl) && !CROSSED.test(baseUrl);

/** `cairn.example_443`, with the path where the network has one. Different addresses may have the same. */
function shortName(baseUrl: string): string {
  const { protocol, hostname, port, pathname } = new URL(baseUrl);
  const shown = `${hostname}_${port || (protocol === "https:" ? 443 : 80)}${pathname}`;
  return shown.replaceAll(/[^\w.-]+/g, "_").replace(/_$/, "");
}

/** Beside a token: the base URL of the network that has given it. */
const recordOf = (tokenFile: string): string => `${tokenFile}.network`;

const networkOf = (tokenFile: string): string | null =>
  contentOf(recordOf(tokenFile))?.trim() ?? null;

/**
 * The default place of a network's token below `folder`. Earlier versions gave one place to different addresses, and
 * did not say whose token was there. A token without that word belongs to the one plain address of its place; for
 * another address a Stop asks the user.
 */
export function defaultPlace(folder: string, baseUrl: string): string {
  const name = shortName(baseUrl);
  const short = join(folder, name, "token");
  const own = join(folder, `${name}.${sha256Hex(baseUrl).slice(0, HASH_CHARS)}`, "token");
  if (existsSync(own)) return own;
  const owner = networkOf(short);
  if (owner === baseUrl) return short;
  if (owner !== null) return own;
  if (isPlain(baseUrl)) return short;
  if (!existsSync(short)) return own;
  throw new Stop(
    USAGE,
    `${short} may hold the token of another network than ${baseUrl}. Name it with --token-file if it is of this one, else another file.`,
  );
}

/** A Stop where the file is kept for another network. One that says nothing is this network's from now on. */
export function demandNetwork(tokenFile: string, baseUrl: string): void {
  const owner = networkOf(tokenFile);
  if (owner === baseUrl) return;
  if (owner !== null)
    throw new Stop(USAGE, `${tokenFile} is kept for ${owner}, and this network is ${baseUrl}.`);
  if (existsSync(tokenFile)) recordNetwork(tokenFile, baseUrl);
}

/** Says beside a token of which network it is. On a volume that is full or read-only the caller's word has to do. */
export function recordNetwork(tokenFile: string, baseUrl: string): void {
  try {
    replaceFile(recordOf(tokenFile), baseUrl);
  } catch {}
}

import { resolve } from "node:path";
import { isInside, LOOPBACK, parseAddress } from "../../platform/kernel/address.ts";
import { withoutUser } from "../../platform/kernel/url.ts";
import { didYouMean } from "../../platform/kernel/words/nearest.ts";
import { chainConflict } from "./chain-settings.ts";
import { consoleConflict } from "./console-mode.ts";
import type { Key, Protection } from "./setting-key.ts";
import { KEY_GROUPS, KEYS } from "./setting-keys.ts";

type Keys = typeof KEYS;
type Read = { -readonly [K in keyof Keys]: Keys[K] extends Key<infer T> ? T : never };

/** The validated configuration. Paths are absolute. */
export type Configuration = Readonly<Omit<Read, "protection">> & {
  readonly protection: Protection;
  readonly clockAccepted: boolean;
};

/** A configuration that cannot be used; the message names the key, what was read and what is allowed. */
class ConfigurationError extends Error {}

/** The address that clients use, unless the service is to find a free port. */
export const baseUrlOf = ({
  baseUrl,
  host,
  port,
}: Pick<Configuration, "baseUrl" | "host" | "port">): string =>
  baseUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;

/** Whether clients are told an address that no other machine can reach: that of every address of this one. */
export const isNobodysAddress = (baseUrl: string): boolean =>
  ["0.0.0.0", "[::]"].includes(new URL(baseUrl).hostname);

export const NOBODYS_ADDRESS = {
  text: "Documents and links name an address that nobody can reach: that of CAIRN_HOST.",
  advice: "Set CAIRN_BASE_URL to the address that clients use.",
} as const;

/** Strangers can reach whatever is not called by a loopback name. */
function protectionAt(baseUrl: string): Protection {
  const { hostname } = new URL(baseUrl);
  const address = parseAddress(hostname.replace(/^\[|\]$/g, ""));
  const isLoopback =
    address === null ? /(?:^|\.)localhost\.?$/i.test(hostname) : isInside(address, LOOPBACK);
  return isLoopback ? "open" : "public";
}

/** A setting as the command line and the documents know it. */
export interface Setting {
  readonly variable: string;
  /** The heading under which it stands. */
  readonly group: string;
  /** Its meaning, in Markdown. */
  readonly meaning: string;
  /** The variable in kebab-case without its prefix. */
  readonly flag: string;
  /** The flag takes no value and means `on`. */
  readonly isSwitch: boolean;
  readonly isPath: boolean;
  /** The words that it may be; undefined where it is no choice of a few. */
  readonly words: readonly string[] | undefined;
  /**
   * What it is when nothing is said, in `open` or, with both parted by a slash, in `open` and
   * `public`; null where there is nothing, or the service finds out by itself.
   */
  readonly fallback: string | number | bigint | null;
}

/** Every setting, in the order of the operators' guide. */
export const SETTINGS: readonly Setting[] = Object.entries(KEY_GROUPS).flatMap(([group, keys]) =>
  Object.values<Key<unknown>>(keys).map((record) => settingIn(group, record)),
);

function settingIn(group: string, record: Key<unknown>): Setting {
  const { variable, meaning, isSwitch = false, isPath = false } = record;
  const open = shownFallback(record, "open");
  const strangers = shownFallback(record, "public");
  return {
    variable,
    group,
    meaning,
    flag: variable.replace("CAIRN_", "").toLowerCase().replaceAll("_", "-"),
    isSwitch,
    isPath,
    words: record.parse.words,
    fallback: open === strangers ? open : `${open} / ${strangers}`,
  };
}

function shownFallback(record: Key<unknown>, protection: Protection) {
  const shown = record.shown ?? fallbackIn(record, protection);
  if (typeof shown === "string" || typeof shown === "number" || typeof shown === "bigint")
    return shown;
  return null;
}

function fallbackIn({ fallback, inPublic }: Key<unknown>, protection: Protection): unknown {
  return protection === "public" && inPublic !== undefined ? inPublic : fallback;
}

/**
 * Reads and checks the configuration once. `flags` win over `environment`; both are texts by
 * variable name. Throws a ConfigurationError for a wrong value or an unknown CAIRN_ name.
 */
export function readConfiguration(
  environment: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, string>> = {},
  clockAccepted = false,
): Configuration {
  const known = new Set<string>(Object.values(KEYS).map(({ variable }) => variable));
  for (const name of Object.keys(environment)) {
    if (name.startsWith("CAIRN_") && !known.has(name)) {
      throw new ConfigurationError(
        `${name} is not a setting.${didYouMean(name, known) || SEE_HELP}`,
      );
    }
  }
  const readWith = (protection: Protection) =>
    Object.fromEntries(
      Object.entries<Key<unknown>>(KEYS).map(([name, record]) => [
        name,
        settingOf(record, flags[record.variable] ?? environment[record.variable], protection),
      ]),
    ) as Read;
  const open = readWith("open");
  const protection = open.protection ?? protectionAt(baseUrlOf(open));
  const read = protection === "open" ? open : readWith(protection);
  const conflict = chainConflict(read) ?? databaseConflict(read) ?? consoleConflict(read);
  if (conflict !== null) throw new ConfigurationError(conflict);
  return { ...read, protection, clockAccepted };
}

function databaseConflict({ databaseUrl, databaseReadUrl }: Read): string | null {
  if (databaseReadUrl === null || databaseUrl !== null) return null;
  return "CAIRN_DATABASE_READ_URL is for a replica of CAIRN_DATABASE_URL, which is not set.";
}

/** What a variable is set to, as an operator may see it. */
export interface ShownSetting {
  readonly variable: string;
  /** Null when it is not set, and there is no default that could be shown. */
  readonly value: string | null;
  readonly isSet: boolean;
}

/** The effective settings, in the order of the guide, without secrets. */
export const shownSettings = (
  environment: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, string>>,
  { protection }: Pick<Configuration, "protection">,
): readonly ShownSetting[] =>
  Object.values<Key<unknown>>(KEYS).map((record) => {
    const { variable, isSecret } = record;
    const text = flags[variable] ?? environment[variable] ?? "";
    const fallback = record === KEYS.protection ? protection : shownFallback(record, protection);
    const value = fallback === null ? null : String(fallback);
    if (text === "") return { variable, value, isSet: false };
    return { variable, value: isSecret ? "(secret)" : text, isSet: true };
  });

const SEE_HELP = " `cairn serve --help` lists the settings.";

function settingOf(
  record: Key<unknown>,
  text: string | undefined,
  protection: Protection,
): unknown {
  const placed = (value: unknown) =>
    record.isPath && typeof value === "string" ? resolve(value) : value;
  if (text === undefined || text === "") return placed(fallbackIn(record, protection));
  const value = record.parse(text);
  if (value !== undefined) return placed(value);
  const { variable, allowed, isSecret, parse } = record;
  const seen = isSecret ? "not readable" : JSON.stringify(withoutUser(text));
  throw new ConfigurationError(
    `${variable} is ${seen}; allowed is ${allowed}.${didYouMean(text, parse.words ?? [])}`,
  );
}

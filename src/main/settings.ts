import { resolve } from "node:path";
import { chainConflict } from "./chain-settings.ts";
import { KEYS, type Key } from "./setting-keys.ts";

type Keys = typeof KEYS;
type Read = { -readonly [K in keyof Keys]: Keys[K] extends Key<infer T> ? T : never };

/** The validated configuration. Paths are absolute. */
export type Configuration = Readonly<Read> & {
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

const flagOf = (variable: string): string =>
  variable.replace("CAIRN_", "").toLowerCase().replaceAll("_", "-");

/** The flags of `cairn serve`, by name, each with the variable that it stands for. */
export const FLAGS: ReadonlyMap<string, string> = new Map(
  Object.values(KEYS).map(({ variable }) => [flagOf(variable), variable]),
);

/** The flags that take no value. */
export const SWITCHES: ReadonlySet<string> = new Set(
  Object.values<Key<unknown>>(KEYS)
    .filter(({ isSwitch }) => isSwitch === true)
    .map(({ variable }) => flagOf(variable)),
);

/** What each variable is when nothing is said; null where there is nothing, or the service finds out by itself. */
export const DEFAULTS: ReadonlyMap<string, string | number | bigint | null> = new Map(
  Object.values(KEYS).map(({ variable, fallback }) => [
    variable,
    typeof fallback === "object" ? null : fallback,
  ]),
);

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
        `${name} is not a setting. The settings are ${[...known].join(", ")}.`,
      );
    }
  }
  const read = Object.fromEntries(
    Object.entries(KEYS).map(([name, record]) => [
      name,
      settingOf(record as Key<unknown>, flags[record.variable] ?? environment[record.variable]),
    ]),
  ) as Read;
  const conflict = chainConflict(read) ?? databaseConflict(read);
  if (conflict !== null) throw new ConfigurationError(conflict);
  const dataDir = resolve(read.dataDir);
  const signingKeyFile = read.signingKeyFile === null ? null : resolve(read.signingKeyFile);
  return { ...read, dataDir, signingKeyFile, clockAccepted };
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
): readonly ShownSetting[] =>
  Object.values<Key<unknown>>(KEYS).map(({ variable, isSecret }) => {
    const text = flags[variable] ?? environment[variable] ?? "";
    const fallback = DEFAULTS.get(variable) ?? null;
    const value = fallback === null ? null : String(fallback);
    if (text === "") return { variable, value, isSet: false };
    return { variable, value: isSecret ? "(secret)" : text, isSet: true };
  });

function settingOf(record: Key<unknown>, text: string | undefined): unknown {
  if (text === undefined || text === "") return record.fallback;
  const value = record.parse(text);
  if (value !== undefined) return value;
  const seen = record.isSecret ? "not readable" : JSON.stringify(text);
  throw new ConfigurationError(`${record.variable} is ${seen}; allowed is ${record.allowed}.`);
}

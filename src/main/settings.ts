import { resolve } from "node:path";
import { parseRaw } from "../kernel/nano.ts";
import { parseUsd } from "../transfers/rules.ts";

/** One key of the configuration: how it is called, what it may be, what it is when nothing is said. */
interface Key<T> {
  readonly variable: `CAIRN_${string}`;
  readonly fallback: T;
  readonly allowed: string;
  /** Undefined when the text is not allowed. */
  readonly parse: (text: string) => T | undefined;
  /** Not shown when it is refused. */
  readonly isSecret?: true;
}

const key = <T>(record: Key<T>): Key<T> => record;

const whole = (min: number, max: number) => (text: string) => {
  const value = /^(0|[1-9][0-9]{0,9})$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
};

const oneOf =
  <const V extends string>(...values: readonly V[]) =>
  (text: string) =>
    values.find((value) => value === text);

const matching = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text : undefined);

function httpUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    return;
  return text.replace(/\/+$/, "");
}

const postgresUrl = (text: string): string | undefined =>
  /^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? "") ? text : undefined;

const PORT = "a port number, 0 to 65535";
const USD = "US dollars as decimal text, above 0 and below 1000000, at most 8 decimals";
const PRINTABLE = "1 to 200 printable ASCII characters without space";

/** The US dollars of one unit, in hundred-millionths. */
const usdReference = (variable: Key<bigint | null>["variable"]) =>
  key<bigint | null>({
    variable,
    fallback: null,
    allowed: USD,
    parse: (text) => parseUsd(text) ?? undefined,
  });

/** Every key, in the order of the operators' guide. A flag is its variable in kebab-case without the prefix. */
const KEYS = {
  host: key({
    variable: "CAIRN_HOST",
    fallback: "127.0.0.1",
    allowed: "an address to listen on",
    parse: matching(/^[\w.:-]+$/),
  }),
  port: key({ variable: "CAIRN_PORT", fallback: 8080, allowed: PORT, parse: whole(0, 65_535) }),
  adminHost: key({
    variable: "CAIRN_ADMIN_HOST",
    fallback: "127.0.0.1",
    allowed: "an address to listen on",
    parse: matching(/^[\w.:-]+$/),
  }),
  adminPort: key({
    variable: "CAIRN_ADMIN_PORT",
    fallback: 8081,
    allowed: `${PORT}; 0 switches the operators' listener off`,
    parse: whole(0, 65_535),
  }),
  baseUrl: key<string | null>({
    variable: "CAIRN_BASE_URL",
    fallback: null,
    allowed: "an http or https URL without query",
    parse: httpUrl,
  }),
  origin: key<string | null>({
    variable: "CAIRN_ORIGIN",
    fallback: null,
    allowed: "1 to 200 printable ASCII characters without space",
    parse: matching(/^[\x21-\x7e]{1,200}$/),
  }),
  dataDir: key({
    variable: "CAIRN_DATA_DIR",
    fallback: "./data",
    allowed: "a folder",
    parse: matching(/./),
  }),
  databaseUrl: key<string | null>({
    variable: "CAIRN_DATABASE_URL",
    fallback: null,
    allowed: "a postgres:// URL",
    parse: postgresUrl,
    isSecret: true,
  }),
  signingKeyFile: key<string | null>({
    variable: "CAIRN_SIGNING_KEY_FILE",
    fallback: null,
    allowed: "a file",
    parse: matching(/./),
  }),
  sealInterval_s: key({
    variable: "CAIRN_SEAL_INTERVAL_S",
    fallback: 60,
    allowed: "1 to 240 seconds",
    parse: whole(1, 240),
  }),
  sealMaxEntries: key({
    variable: "CAIRN_SEAL_MAX_ENTRIES",
    fallback: 8_192,
    allowed: "1 to 65536 entries",
    parse: whole(1, 65_536),
  }),
  powBits: key({
    variable: "CAIRN_POW_BITS",
    fallback: 8,
    allowed: "0 to 32 bits",
    parse: whole(0, 32),
  }),
  edgeUaRule: key({
    variable: "CAIRN_EDGE_UA_RULE",
    fallback: "on" as "on" | "off",
    allowed: "on or off",
    parse: oneOf("on", "off"),
  }),
  rateLimitPerMinute: key({
    variable: "CAIRN_RATE_LIMIT_PER_MINUTE",
    fallback: 0,
    allowed: "requests per minute; 0 is off",
    parse: whole(0, 1_000_000),
  }),
  appsOrigin: key<string | null>({
    variable: "CAIRN_APPS_ORIGIN",
    fallback: null,
    allowed: "https://{slug}. and a host name in lower case",
    parse: matching(/^https:\/\/\{slug\}(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/),
  }),
  xmrAddress: key<string | null>({
    variable: "CAIRN_XMR_ADDRESS",
    fallback: null,
    allowed: PRINTABLE,
    parse: matching(/^[\x21-\x7e]{1,200}$/),
  }),
  btcAddress: key<string | null>({
    variable: "CAIRN_BTC_ADDRESS",
    fallback: null,
    allowed: PRINTABLE,
    parse: matching(/^[\x21-\x7e]{1,200}$/),
  }),
  otherAddressNote: key<string | null>({
    variable: "CAIRN_OTHER_ADDRESS_NOTE",
    fallback: null,
    allowed: "one line of 1 to 500 characters",
    parse: matching(/^[^\p{Cc}\u2028\u2029]{1,500}$/u),
  }),
  rateSource: key({
    variable: "CAIRN_RATE_SOURCE",
    fallback: "static" as "static" | "coingecko",
    allowed: "static or coingecko",
    parse: oneOf("static", "coingecko"),
  }),
  xnoUsd: usdReference("CAIRN_XNO_USD"),
  xmrUsd: usdReference("CAIRN_XMR_USD"),
  btcUsd: usdReference("CAIRN_BTC_USD"),
  xnoMinReward_raw: key({
    variable: "CAIRN_XNO_MIN_REWARD_RAW",
    fallback: 0n,
    allowed: "raw, 0 to 2^128 - 1",
    parse: (text) => parseRaw(text) ?? undefined,
  }),
  logLevel: key({
    variable: "CAIRN_LOG_LEVEL",
    fallback: "info" as "debug" | "info" | "warn" | "error" | "silent",
    allowed: "debug, info, warn, error or silent",
    parse: oneOf("debug", "info", "warn", "error", "silent"),
  }),
  logFormat: key<"json" | "pretty" | null>({
    variable: "CAIRN_LOG_FORMAT",
    fallback: null,
    allowed: "json or pretty",
    parse: oneOf("json", "pretty"),
  }),
} as const;

type Keys = typeof KEYS;
type Read = { -readonly [K in keyof Keys]: Keys[K] extends Key<infer T> ? T : never };

/** The validated configuration. Paths are absolute. */
export type Configuration = Readonly<Read> & {
  readonly clockAccepted: boolean;
};

/** A configuration that cannot be used; the message names the key, what was read and what is allowed. */
class ConfigurationError extends Error {}

const flagOf = (variable: string): string =>
  variable.replace("CAIRN_", "").toLowerCase().replaceAll("_", "-");

/** The flags of `cairn serve`, by name, each with the variable that it stands for. */
export const FLAGS: ReadonlyMap<string, string> = new Map(
  Object.values(KEYS).map(({ variable }) => [flagOf(variable), variable]),
);

/** What each variable is when nothing is said; null where the service finds out by itself. */
export const DEFAULTS: ReadonlyMap<string, string | number | bigint | null> = new Map(
  Object.values(KEYS).map(({ variable, fallback }) => [variable, fallback]),
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
  const dataDir = resolve(read.dataDir);
  const signingKeyFile = read.signingKeyFile === null ? null : resolve(read.signingKeyFile);
  return { ...read, dataDir, signingKeyFile, clockAccepted };
}

function settingOf(record: Key<unknown>, text: string | undefined): unknown {
  if (text === undefined || text === "") return record.fallback;
  const value = record.parse(text);
  if (value !== undefined) return value;
  const seen = record.isSecret ? "not readable" : JSON.stringify(text);
  throw new ConfigurationError(`${record.variable} is ${seen}; allowed is ${record.allowed}.`);
}

import { REWARDS_PER_HOUR_MAX } from "../../coin/rules.ts";
import { type AddressBlock, LOOPBACK } from "../../kernel/address.ts";
import { type PublicKey, parseRaw } from "../../kernel/nano.ts";
import { RATE_LIMIT_MAX } from "../../ledger/announce.ts";
import { parseUsd } from "../../transfers/rules.ts";
import { nanoAccount, nodeUrls } from "./chain-settings.ts";
import { LOG_KEYS } from "./log-settings.ts";
import { type Key, key, type Protection } from "./setting-key.ts";
import {
  addressBlocks,
  contactUri,
  hostNames,
  httpUrl,
  matching,
  oneOf,
  POSTGRES_URL,
  postgresUrl,
  whole,
} from "./setting-texts.ts";

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

const printable = (variable: Key<string | null>["variable"]) =>
  key<string | null>({
    variable,
    fallback: null,
    allowed: PRINTABLE,
    parse: matching(/^[\x21-\x7e]{1,200}$/),
  });

const nanoAddress = (variable: Key<PublicKey | null>["variable"]) =>
  key<PublicKey | null>({
    variable,
    fallback: null,
    allowed: "a Nano account (nano_ and 60 characters) with a right checksum",
    parse: nanoAccount,
  });

/** Every key, in the order of the operators' guide. A flag is its variable in kebab-case without the prefix. */
export const KEYS = {
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
  adminNames: key<readonly string[]>({
    variable: "CAIRN_ADMIN_NAMES",
    fallback: [],
    shown: "none",
    allowed: "up to 16 host names, parted by commas",
    parse: hostNames,
  }),
  adminPort: key({
    variable: "CAIRN_ADMIN_PORT",
    fallback: 8081,
    allowed: `${PORT}; 0 switches the operators' listener off`,
    parse: whole(0, 65_535),
  }),
  console: key<"off" | "read" | "act" | null>({
    variable: "CAIRN_CONSOLE",
    fallback: null,
    shown: "read where CAIRN_ADMIN_HOST is a loopback address, else off",
    allowed: "off, read or act",
    parse: oneOf("off", "read", "act"),
  }),
  baseUrl: key<string | null>({
    variable: "CAIRN_BASE_URL",
    fallback: null,
    allowed: "an http or https URL without query",
    parse: httpUrl,
  }),
  origin: printable("CAIRN_ORIGIN"),
  dataDir: key({
    variable: "CAIRN_DATA_DIR",
    fallback: "./data",
    allowed: "a folder",
    parse: matching(/./),
  }),
  databaseUrl: key<string | null>({
    variable: "CAIRN_DATABASE_URL",
    fallback: null,
    allowed: POSTGRES_URL,
    parse: postgresUrl,
    isSecret: true,
  }),
  databaseReadUrl: key<string | null>({
    variable: "CAIRN_DATABASE_READ_URL",
    fallback: null,
    allowed: POSTGRES_URL,
    parse: postgresUrl,
    isSecret: true,
  }),
  workers: key({
    variable: "CAIRN_WORKERS",
    fallback: 1,
    allowed: "1 to 64 processes",
    parse: whole(1, 64),
  }),
  signingKeyFile: key<string | null>({
    variable: "CAIRN_SIGNING_KEY_FILE",
    fallback: null,
    allowed: "a file",
    parse: matching(/./),
  }),
  ...LOG_KEYS,
  onLostSeals: key({
    variable: "CAIRN_ON_LOST_SEALS",
    fallback: "refuse" as "refuse" | "serve",
    allowed: "refuse or serve",
    parse: oneOf("refuse", "serve"),
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
  protection: key<Protection | null>({
    variable: "CAIRN_PROTECTION",
    fallback: null,
    allowed: "open or public",
    parse: oneOf("open", "public"),
  }),
  rateLimitPerMinute: key({
    variable: "CAIRN_RATE_LIMIT_PER_MINUTE",
    fallback: 0,
    inPublic: 600,
    allowed: "requests per minute, 0 to 1000000; 0 is off",
    parse: whole(0, RATE_LIMIT_MAX),
  }),
  registrationsPerHour: key({
    variable: "CAIRN_REGISTRATIONS_PER_HOUR",
    fallback: 0,
    inPublic: 20,
    allowed: "registrations per hour, 0 to 1000000; 0 is off",
    parse: whole(0, 1_000_000),
  }),
  rewardsPerHour: key<number | null>({
    variable: "CAIRN_REWARDS_PER_HOUR",
    fallback: null,
    allowed: "rewards per hour, 0 to 1000000; 0 is off",
    parse: whole(0, REWARDS_PER_HOUR_MAX),
  }),
  agentMibPerDay: key({
    variable: "CAIRN_AGENT_MIB_PER_DAY",
    fallback: 0,
    inPublic: 32,
    allowed: "MiB that an agent may store a day, 0 to 1000000; 0 is off",
    parse: whole(0, 1_000_000),
  }),
  diskDays: key({
    variable: "CAIRN_DISK_DAYS",
    fallback: 0,
    inPublic: 30,
    allowed: "days that the disk must last, 7 to 3650; 0 is off",
    parse: (text) => whole(7, 3_650)(text) ?? whole(0, 0)(text),
  }),
  trustedProxies: key<readonly AddressBlock[]>({
    variable: "CAIRN_TRUSTED_PROXIES",
    fallback: LOOPBACK,
    shown: "loopback",
    allowed: "up to 16 addresses or blocks such as 10.0.0.0/8, parted by commas, or loopback",
    parse: addressBlocks,
  }),
  securityContact: key<string | null>({
    variable: "CAIRN_SECURITY_CONTACT",
    fallback: null,
    allowed: "a mailto: or https: URI of at most 200 characters",
    parse: contactUri,
  }),
  appsOrigin: key<string | null>({
    variable: "CAIRN_APPS_ORIGIN",
    fallback: null,
    allowed: "https://{slug}. and a host name in lower case",
    parse: matching(/^https:\/\/\{slug\}(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/),
  }),
  nanoRpcUrls: key<readonly string[]>({
    variable: "CAIRN_NANO_RPC_URLS",
    fallback: [],
    allowed: "up to 8 different http or https URLs of Nano nodes, parted by commas",
    parse: nodeUrls,
    isSecret: true,
  }),
  nanoRpcQuorum: key({
    variable: "CAIRN_NANO_RPC_QUORUM",
    fallback: 1,
    allowed: "1 to 8, at most as many as there are URLs",
    parse: whole(1, 8),
  }),
  nanoRpcAuth: key<string | null>({
    variable: "CAIRN_NANO_RPC_AUTH",
    fallback: null,
    allowed: "the value of a header: 1 to 500 printable ASCII characters",
    parse: matching(/^[\x21-\x7e](?:[\x20-\x7e]{0,498}[\x21-\x7e])?$/),
    isSecret: true,
  }),
  nanoAddress: nanoAddress("CAIRN_NANO_ADDRESS"),
  escrowNanoAddress: nanoAddress("CAIRN_ESCROW_NANO_ADDRESS"),
  devChain: key({
    variable: "CAIRN_DEV_CHAIN",
    fallback: "off" as "on" | "off",
    allowed: "on or off",
    parse: oneOf("on", "off"),
    isSwitch: true,
  }),
  devChainPort: key({
    variable: "CAIRN_DEV_CHAIN_PORT",
    fallback: 17_076,
    allowed: PORT,
    parse: whole(0, 65_535),
  }),
  marketPayWithin_h: key({
    variable: "CAIRN_MARKET_PAY_WITHIN_H",
    fallback: 72,
    allowed: "1 to 720 hours",
    parse: whole(1, 720),
  }),
  xmrAddress: printable("CAIRN_XMR_ADDRESS"),
  btcAddress: printable("CAIRN_BTC_ADDRESS"),
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

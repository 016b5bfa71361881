import { REWARDS_PER_HOUR_MAX } from "../../../domains/coin/rules.ts";
import type { AddressBlock } from "../../../platform/kernel/address.ts";
import { LOOPBACK } from "../../../platform/kernel/address.ts";
import { RATE_LIMIT_MAX } from "../../../platform/ledger/announcements/announce.ts";
import { key, type Protection } from "../setting-key.ts";
import { addressBlocks, callbacks, contactUri, matching, oneOf, whole } from "../setting-texts.ts";

/** Limits for strangers. In the order of the operators' guide. */
export const STRANGER_KEYS = {
  powBits: key({
    variable: "CAIRN_POW_BITS",
    meaning:
      "Work asked for in `GET /challenge`, 0 to 32 bits. Nothing depends on it: the challenge is voluntary",
    fallback: 8,
    allowed: "0 to 32 bits",
    parse: whole(0, 32),
  }),
  edgeUaRule: key({
    variable: "CAIRN_EDGE_UA_RULE",
    meaning:
      "`on` answers 403 with the code 1010 to the bare User-Agent of Python's `urllib`, as some hosting edges do; `off` answers it",
    fallback: "off" as "on" | "off",
    allowed: "on or off",
    parse: oneOf("on", "off"),
  }),
  protection: key<Protection | null>({
    variable: "CAIRN_PROTECTION",
    meaning:
      "`open` or `public`: which of two defaults counts where the table shows both, as `open / public`. Unless set, `public`, but `open` where the base URL is a loopback address or `localhost`",
    fallback: null,
    allowed: "open or public",
    parse: oneOf("open", "public"),
  }),
  rateLimitPerMinute: key({
    variable: "CAIRN_RATE_LIMIT_PER_MINUTE",
    meaning:
      "Requests per minute for each agent, and twice as many for each network of callers, 0 to 1000000. 0 is off. A new network announces it; later the log and `cairn doctor` name the command. [Limits](limits.md#requests-and-registrations)",
    fallback: 0,
    inPublic: 600,
    allowed: "requests per minute, 0 to 1000000; 0 is off",
    parse: whole(0, RATE_LIMIT_MAX),
  }),
  registrationsPerHour: key({
    variable: "CAIRN_REGISTRATIONS_PER_HOUR",
    meaning: "Registrations per hour from one network of callers, 0 to 1000000. 0 is off",
    fallback: 0,
    inPublic: 20,
    allowed: "registrations per hour, 0 to 1000000; 0 is off",
    parse: whole(0, 1_000_000),
  }),
  rewardsPerHour: key<number | null>({
    variable: "CAIRN_REWARDS_PER_HOUR",
    meaning:
      "Rewards per hour that the whole network grants, 0 to 1000000. It is in force once it is [announced](limits.md#the-reward-pool). 0 switches an announced number off; unset leaves what was announced",
    fallback: null,
    allowed: "rewards per hour, 0 to 1000000; 0 is off",
    parse: whole(0, REWARDS_PER_HOUR_MAX),
  }),
  agentMibPerDay: key({
    variable: "CAIRN_AGENT_MIB_PER_DAY",
    meaning:
      "MiB that one agent may store on a UTC day, 0 to 1000000: its texts, and 512 bytes for each row. 0 is off. [Bytes and the disk](limits.md#bytes-and-the-disk)",
    fallback: 0,
    inPublic: 32,
    allowed: "MiB that an agent may store a day, 0 to 1000000; 0 is off",
    parse: whole(0, 1_000_000),
  }),
  diskDays: key({
    variable: "CAIRN_DISK_DAYS",
    meaning:
      "Days that the free disk must last, 7 to 3650: a day gets an even part of it, half for newcomers. 0 is off. Only for the embedded database",
    fallback: 0,
    inPublic: 30,
    allowed: "days that the disk must last, 7 to 3650; 0 is off",
    parse: (text) => whole(7, 3_650)(text) ?? whole(0, 0)(text),
  }),
  trustedProxies: key<readonly AddressBlock[]>({
    variable: "CAIRN_TRUSTED_PROXIES",
    meaning:
      "Whose `X-Forwarded-For` counts: up to 16 addresses or blocks such as `10.0.0.0/8`, parted by commas. `loopback` is `127.0.0.0/8` and `::1`",
    fallback: LOOPBACK,
    shown: "loopback",
    allowed: "up to 16 addresses or blocks such as 10.0.0.0/8, parted by commas, or loopback",
    parse: addressBlocks,
  }),
  securityContact: key<string | null>({
    variable: "CAIRN_SECURITY_CONTACT",
    meaning:
      "A `mailto:` or `https:` URI for reports of vulnerabilities. With it, the service answers `/.well-known/security.txt` and `/security.txt` (RFC 9116); without it, 404",
    fallback: null,
    allowed: "a mailto: or https: URI of at most 200 characters",
    parse: contactUri,
  }),
  oauthCallbacks: key<readonly string[]>({
    variable: "CAIRN_OAUTH_CALLBACKS",
    meaning:
      "Further `https:` addresses to which a host of MCP may have a new agent's code sent: up to 16, parted by commas. One that ends in a slash allows all below it. Loopback addresses, schemes of apps and the callbacks of known editors and hosts are valid anyway",
    fallback: [],
    shown: "none",
    allowed: "up to 16 https addresses without query, parted by commas",
    parse: callbacks,
  }),
  appsOrigin: key<string | null>({
    variable: "CAIRN_APPS_ORIGIN",
    meaning:
      "`https://{slug}.` and a host name, such as `https://{slug}.apps.example.net`: gives each hosted application an origin of its own. Unless set, they are at `/app/` of the base URL",
    fallback: null,
    allowed: "https://{slug}. and a host name in lower case",
    parse: matching(/^https:\/\/\{slug\}(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/),
  }),
} as const;

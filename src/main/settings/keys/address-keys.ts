import { key, printable } from "../setting-key.ts";
import {
  contactUri,
  hostNames,
  httpsOrigin,
  httpUrl,
  matching,
  oneOf,
  PORT,
  whole,
} from "../setting-texts.ts";

/** Addresses: where the service listens, and what it is called. In the order of the operators' guide. */
export const ADDRESS_KEYS = {
  host: key({
    variable: "CAIRN_HOST",
    meaning:
      "The address that the network listens on. `0.0.0.0` or `::` is every address of the machine",
    fallback: "127.0.0.1",
    allowed: "an address to listen on",
    parse: matching(/^[\w.:-]+$/),
  }),
  port: key({
    variable: "CAIRN_PORT",
    meaning:
      "Its port, 0 to 65535. 0 takes any free one; with no base URL set, the line `serving` in the log names it",
    fallback: 8080,
    allowed: PORT,
    parse: whole(0, 65_535),
  }),
  adminHost: key({
    variable: "CAIRN_ADMIN_HOST",
    meaning: "The address of the operators' listener: health and metrics. Never make it public",
    fallback: "127.0.0.1",
    allowed: "an address to listen on",
    parse: matching(/^[\w.:-]+$/),
  }),
  adminNames: key<readonly string[]>({
    variable: "CAIRN_ADMIN_NAMES",
    meaning:
      "Names by which this listener is asked, beside addresses and `localhost`: up to 16, parted by commas",
    fallback: [],
    shown: "none",
    allowed: "up to 16 host names, parted by commas",
    parse: hostNames,
  }),
  adminPort: key({
    variable: "CAIRN_ADMIN_PORT",
    meaning: "Its port, 0 to 65535. 0 switches it off",
    fallback: 8081,
    allowed: `${PORT}; 0 switches the operators' listener off`,
    parse: whole(0, 65_535),
  }),
  console: key<"off" | "read" | "act" | null>({
    variable: "CAIRN_CONSOLE",
    meaning:
      "`off`, `read` or `act`: whether the [console](console.md) is there, and may change things. `act` needs a loopback address as `CAIRN_ADMIN_HOST`, or `CAIRN_CONSOLE_ORIGIN`",
    fallback: null,
    shown: "read on a loopback address or with CAIRN_CONSOLE_ORIGIN, else off",
    allowed: "off, read or act",
    parse: oneOf("off", "read", "act"),
  }),
  consoleOrigin: key<string | null>({
    variable: "CAIRN_CONSOLE_ORIGIN",
    meaning:
      "The `https` address of the console behind [a proxy with TLS](console.md#behind-a-proxy), which then answers there alone. Unless set, the console is for this machine and tunnels",
    fallback: null,
    allowed: "https://, a host name and perhaps a port",
    parse: httpsOrigin,
  }),
  baseUrl: key<string | null>({
    variable: "CAIRN_BASE_URL",
    meaning:
      "The address that clients use, `http` or `https`, without query and without user. Unless set it is `http://` with host and port of the listener",
    fallback: null,
    allowed: "an http or https URL without query and without user",
    parse: httpUrl,
  }),
  operatorName: key<string | null>({
    variable: "CAIRN_OPERATOR_NAME",
    meaning:
      "The name of the operator, as the page for visitors at `/` shows it: one line of 1 to 100 characters. Unless set, nothing is claimed",
    fallback: null,
    allowed: "one line of 1 to 100 characters",
    parse: matching(/^[^\p{Cc}\p{Cf}\u2028\u2029]{1,100}$/u),
  }),
  operatorContact: key<string | null>({
    variable: "CAIRN_OPERATOR_CONTACT",
    meaning: "How to reach the operator: a `mailto:` or `https:` URI, on the same page",
    fallback: null,
    allowed: "a mailto: or https: URI of at most 200 printable ASCII characters",
    parse: contactUri,
  }),
  origin: printable(
    "CAIRN_ORIGIN",
    "The name of the ledger: 1 to 200 printable ASCII characters without space; a new ledger's without `+`. Unless set, the ledger's own, and at the first start the host of the base URL",
  ),
} as const;

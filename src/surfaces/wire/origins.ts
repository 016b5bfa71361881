import { reject } from "../../platform/kernel/contract/errors.ts";
import type { Fields } from "./edge.ts";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d*)?$/i;

const isLoopback = (origin: string): boolean => LOOPBACK.test(URL.parse(origin)?.host ?? "");

/** Which pages may ask; each of the two rejects with 403 `origin_not_allowed`. */
export interface Origins {
  /** Of writes: no sandboxed page, and to a network on loopback nobody from elsewhere. */
  demandWriter(fields: Fields): void;
  /** Of an endpoint for programs alone: no page of another origin. */
  demandOwn(fields: Fields): void;
}

/**
 * Browsers name a page's origin with every write. A network whose base URL is a loopback address is for
 * this machine: a page elsewhere, or a name that was pointed here (DNS rebinding), must not use it.
 */
export function originsOf(baseUrl: string): Origins {
  const { host: ownHost, origin: own } = new URL(baseUrl);
  const isLocal = LOOPBACK.test(ownHost);
  const isForeign = (origin: string | undefined): boolean =>
    origin !== undefined && origin !== own && !(isLocal && isLoopback(origin));
  const isRebound = (host: string | undefined): boolean =>
    isLocal && host !== undefined && !LOOPBACK.test(host);
  return {
    demandWriter({ host, origin }) {
      if (origin === "null" || (isLocal && isForeign(origin))) reject("origin_not_allowed", PAGE);
      if (isRebound(host)) reject("origin_not_allowed", NAME);
    },
    demandOwn({ host, origin }) {
      if (isForeign(origin) || isRebound(host)) reject("origin_not_allowed", AGENTS);
    },
  };
}

const PAGE = "A page of this origin may read and not write. Write from a program.";
const NAME =
  "The network's base URL is a loopback address, and the Host is none. Set CAIRN_BASE_URL to the address that you use.";
const AGENTS = "Call this endpoint from an agent, not from a page elsewhere.";

import { serversOf } from "../../platform/db/postgres/url.ts";
import { type AddressBlock, LOOPBACK, parseBlock } from "../../platform/kernel/address.ts";
import { isWebAddress, webUrlIn } from "../../platform/kernel/url.ts";

/** A decimal number within bounds. */
export const whole = (min: number, max: number) => (text: string) => {
  const value = /^(0|[1-9][0-9]{0,9})$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
};

/** One of a few words, which help and completion list. */
export const oneOf = <const V extends string>(...words: readonly V[]) =>
  Object.assign((text: string) => words.find((word) => word === text), { words });

export const PORT = "a port number, 0 to 65535";

export const matching = (pattern: RegExp) => (text: string) =>
  pattern.test(text) ? text : undefined;

export function httpUrl(text: string): string | undefined {
  const url = webUrlIn(text);
  if (url === null || url.search || url.hash) return;
  return text.replace(/\/+$/, "");
}

/** A file, or a URL of the web. */
export const fileOrUrl = (text: string): string | undefined =>
  text !== "" && (!isWebAddress(text) || webUrlIn(text) !== null) ? text : undefined;

/** As browsers send it: small letters, no path and no port 443. */
export function httpsOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  return url?.protocol === "https:" && url.origin === text ? text : undefined;
}

const LOOPBACK_HOST = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/;

/** Where an operator is told: it may have a query, which often holds a secret. */
export function alarmUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || url.hash !== "" || url.username + url.password !== "") return;
  const isLocal = url.protocol === "http:" && LOOPBACK_HOST.test(url.hostname);
  return url.protocol === "https:" || isLocal ? text : undefined;
}

const WORDS_MAX = 16;

/** The words of a command: an absolute path, and what stands behind it. */
export function programWords(text: string): readonly string[] | undefined {
  const words = text.trim().split(/\s+/);
  return words.length <= WORDS_MAX && words[0]?.startsWith("/") === true ? words : undefined;
}

/** Kept as it is: only the engine reads more of it. */
export const postgresUrl = (text: string): string | undefined =>
  serversOf(text) === null ? undefined : text;

export const POSTGRES_URL =
  "a postgres:// URL of up to 8 hosts, parted by commas, with target_session_attrs read-write or any";

const NAMES_MAX = 16;

/** In small letters, as they are compared. */
export function hostNames(text: string): readonly string[] | undefined {
  const names = text.toLowerCase().split(",");
  const areNames = names.every((name) => /^[a-z0-9][a-z0-9.-]{0,252}$/.test(name));
  return areNames && names.length <= NAMES_MAX ? names : undefined;
}

/** RFC 9116, 2.5.3: how to report a vulnerability. */
export function contactUri(text: string): string | undefined {
  const isPlain = /^(?:mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/.test(text) && PLAIN.test(text);
  return isPlain && URL.canParse(text) ? text : undefined;
}

const PLAIN = /^[\x21-\x7e]{1,200}$/;

const PROXIES_MAX = 16;

/** Addresses and blocks, parted by commas; the word stands for 127.0.0.0/8 and ::1. */
export function addressBlocks(text: string): readonly AddressBlock[] | undefined {
  const parts = text.split(",").map((part) => part.trim());
  const blocks = parts.map((part) => (part === "loopback" ? LOOPBACK : parseBlock(part)));
  if (parts.length > PROXIES_MAX || blocks.includes(null)) return;
  return blocks.flatMap((block) => block ?? []);
}

const CALLBACKS_MAX = 16;

/** `https:` addresses in their normal form, without user, query and fragment, parted by commas. */
export function callbacks(text: string): readonly string[] | undefined {
  const listed = text.split(",").map((each) => each.trim());
  const isFine = (each: string) => {
    if (!URL.canParse(each)) return false;
    const { protocol, origin, pathname } = new URL(each);
    return protocol === "https:" && each === origin + pathname;
  };
  return listed.length <= CALLBACKS_MAX && listed.every(isFine) ? listed : undefined;
}

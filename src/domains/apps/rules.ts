import { micro } from "../../platform/kernel/money.ts";

export const NAME_LENGTH_MAX = 80;
export const DESCRIPTION_LENGTH_MAX = 4_000;
export const KIND_LENGTH_MAX = 40;
export const VALUATION_MIN = micro<"usd">(0);
export const VALUATION_MAX = micro<"usd">(1_000_000_000_000_000n);
export const HTML_MAX_BYTES = 512 * 1_024;
/** A page is up to three times its size when an encoder escapes all that is not ASCII. */
export const APP_BODY_MAX_BYTES = 2 * 1_024 * 1_024;
/** Each takes 53 bytes of a header; proxies refuse an answer whose head exceeds 4 KiB. */
export const SCRIPTS_ALLOWED_MAX = 32;
export const SCRIPTS_REFUSED_SHOWN_MAX = 32;
/** Those behind are not looked at, so that no page holds the service up. */
export const SCRIPTS_READ_MAX = 1_000;

const SLUG_NAME_LENGTH_MAX = 40;
const SLUG_WITHOUT_NAME = "app";
export const SLUG_RANDOM_LENGTH = 6;
/** Also a label of a host name; it never starts `xn--`, because dashes do not repeat. */
export const SLUG = /^[a-z0-9](?:[a-z0-9-]{1,46}[a-z0-9])$/;

/** The address part of an application: what is left of its name, and some random characters. */
export function slugOf(name: string, random: string): string {
  const dashed = name.replace(/[^A-Za-z0-9]+/g, "-").toLowerCase();
  const words = dashed.replace(/^-/, "").slice(0, SLUG_NAME_LENGTH_MAX).replace(/-$/, "");
  return `${words || SLUG_WITHOUT_NAME}-${random}`;
}

/** Where a hosted application is, on the network's own host or at an origin of its own. */
export const addressOf = (
  slug: string,
  { baseUrl, appsOrigin }: { readonly baseUrl: string; readonly appsOrigin: string | null },
): string =>
  appsOrigin === null ? `${baseUrl}/app/${slug}` : `${appsOrigin.replace("{slug}", slug)}/`;

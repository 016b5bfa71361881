import { SCOPES, type Scope } from "../describe/oauth.ts";

/** Scopes of OpenID Connect, which some clients always ask for: they have no meaning here. */
const WITHOUT_MEANING: ReadonlySet<string> = new Set([
  "offline_access",
  "openid",
  "profile",
  "email",
]);

const namesIn = (text: string | null): readonly string[] =>
  (text ?? "").split(" ").filter((word) => word !== "" && !WITHOUT_MEANING.has(word));

/**
 * What a request for scopes comes to (RFC 6749, 3.3): of those that it names the largest, and without a name the most
 * that may be had. Null where it names others alone: a client that means to read only must not be able to write.
 */
export function scopeIn(text: string | null, most: Scope): Scope | null {
  const names = namesIn(text);
  if (names.length === 0) return most;
  const had = SCOPES.slice(0, SCOPES.indexOf(most) + 1);
  return had.findLast((scope) => names.includes(scope)) ?? null;
}

/** The same where nothing may be named beyond what was granted (RFC 6749, 6). */
export const scopeWithin = (text: string | null, granted: Scope): Scope | null =>
  namesIn(text).includes("write") && granted === "read" ? null : scopeIn(text, granted);

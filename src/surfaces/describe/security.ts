import { DAY_S, days, type Seconds } from "../../platform/kernel/time.ts";
import { encode } from "../routing/response-cache.ts";
import type { Document } from "../routing/routes.ts";
import type { HeaderList } from "../wire/answer.ts";

const PATHS = ["/.well-known/security.txt", "/security.txt"] as const;
/** RFC 9116, 2.5.5 recommends less than a year. */
const VALID_DAYS = 180;
const TEXT_TYPE: HeaderList = ["Content-Type", "text/plain; charset=utf-8"];

interface SecurityParts {
  readonly baseUrl: string;
  /** A `mailto:` or `https:` URI; null when the operator has named none. */
  readonly contact: string | null;
  readonly common: HeaderList;
  readonly now: () => Seconds;
}

/**
 * Where to report a vulnerability (RFC 9116), at the well-known path and at the root; nothing without
 * a contact. It expires 180 days after the UTC day of the answer, so its tag changes once a day.
 */
export function securityDocuments(parts: SecurityParts): readonly Document[] {
  const { contact } = parts;
  if (contact === null) return [];
  const head = [...parts.common, "Cache-Control", "public, max-age=3600"];
  const expires = () => {
    const today = Math.floor(parts.now() / DAY_S) * DAY_S;
    return Temporal.Instant.fromEpochMilliseconds((today + days(VALID_DAYS)) * 1_000).toString();
  };
  const textUntil = (end: string) =>
    [
      `Contact: ${contact}`,
      `Expires: ${end}`,
      ...PATHS.map((path) => `Canonical: ${parts.baseUrl}${path}`),
      "",
    ].join("\n");
  return PATHS.map((path) => ({
    path,
    nameIn: () => `security.txt until ${expires()}`,
    find: async () => encode(textUntil(expires()), head, TEXT_TYPE),
  }));
}

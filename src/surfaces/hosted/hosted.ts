import type { IncomingMessage } from "node:http";
import { scriptsOf } from "../../domains/apps/inline-scripts.ts";
import { hostedPage } from "../../domains/apps/pages.ts";
import { addressOf, SLUG } from "../../domains/apps/rules.ts";
import type { Context } from "../../platform/context.ts";
import { reject } from "../../platform/kernel/contract/errors.ts";
import { HOSTED } from "../describe/fixed-routes.ts";
import type { CachedAnswer } from "../routing/response-cache.ts";
import type { StoredDocument } from "../routing/routes.ts";
import { type HeaderList, NO_STORE, strictTransport } from "../wire/answer.ts";
import { originForm } from "../wire/edge.ts";
import { REFUSED_FEATURES } from "./features.ts";

/** Everything below it is sandboxed, whether something answers there or not. */
const FOLDER = HOSTED.path.replace("{slug}", "");

/**
 * What every answer carries where applications are hosted. The sandbox must be a header, and it has
 * no allow-same-origin: so the page's origin is `null`, without cookies, storage or workers of an
 * address, and it may talk to nothing but the public API. `'self'` would mean nothing to it.
 *
 * An inline script runs when its SHA-256 is one of `scripts` (base64); handlers in attributes and
 * `eval` go on. The second policy is for external scripts: a hash would also allow a foreign address
 * with an `integrity` of that hash, and a script has to pass both policies.
 */
export function sandboxHeaders(baseUrl: string, scripts: readonly string[]): HeaderList {
  const policy = [
    "sandbox allow-scripts allow-forms allow-pointer-lock",
    "default-src 'none'",
    "script-src 'unsafe-eval' blob: data:",
    `script-src-elem ${scripts.map((hash) => `'sha256-${hash}' `).join("")}blob: data:`,
    "script-src-attr 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "font-src data:",
    "media-src data: blob:",
    "worker-src blob:",
    `connect-src ${baseUrl}/api/v1/`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-src 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "webrtc 'block'",
  ];
  const external = "script-src-elem 'unsafe-inline' blob: data:";
  return [
    ["Content-Security-Policy", `${policy.join("; ")}, ${external}`],
    ["X-Content-Type-Options", "nosniff"],
    ["Referrer-Policy", "no-referrer"],
    ["Cross-Origin-Opener-Policy", "same-origin"],
    ["Cross-Origin-Resource-Policy", "same-origin"],
    ["Origin-Agent-Cluster", "?1"],
    ["Permissions-Policy", REFUSED_FEATURES.map((feature) => `${feature}=()`).join(", ")],
    ["X-Robots-Tag", "noindex, nofollow"],
    ["X-DNS-Prefetch-Control", "off"],
    strictTransport(baseUrl),
  ].flat();
}

/** A part of the address space in which every answer is sandboxed. */
interface Sandbox {
  readonly covers: (req: IncomingMessage) => boolean;
  /** The handler of its requests. */
  readonly page: StoredDocument;
}

interface HostedParts {
  readonly read: Context["read"];
  readonly settings: Context["settings"];
  /** `sandboxHeaders` of what is no page, as the answers carry them. */
  readonly common: HeaderList;
}

/**
 * Where applications are hosted: below `/app/`. With an origin for each, they are at the root of
 * that, and below `/app/` is the way to it.
 */
export function sandboxesOf(parts: HostedParts): readonly Sandbox[] {
  const { appsOrigin, baseUrl } = parts.settings;
  const covers: Sandbox["covers"] = ({ url = "" }) => originForm(url).url.startsWith(FOLDER);
  const find = (slug: string) => pageAt(parts, slug);
  if (appsOrigin === null) {
    const nameIn: StoredDocument["nameIn"] = ({ target }) => target.path.slice(FOLDER.length);
    return [{ covers, page: { path: HOSTED.path, nameIn, find } }];
  }
  const slugIn = slugInHost(appsOrigin, baseUrl);
  const ofOne = ({ fields }: Parameters<StoredDocument["nameIn"]>[0]) => slugIn(fields.host) ?? "";
  return [
    {
      covers: ({ url = "", headers }) => slugIn(originForm(url).authority ?? headers.host) !== null,
      page: { path: "/", nameIn: ofOne, find },
    },
    {
      covers,
      page: {
        path: HOSTED.path,
        nameIn: ({ target }) => target.url.slice(FOLDER.length),
        find: async (name) => wayTo(parts, name),
      },
    },
  ];
}

/** The name before the dot of an application's own host; null for every other host. */
function slugInHost(appsOrigin: string, baseUrl: string) {
  const [, domain = ""] = appsOrigin.split("{slug}");
  const pattern = new RegExp(`^([a-z0-9-]+)${domain.replaceAll(".", "\\.")}\\.?(?::[0-9]*)?$`, "i");
  const own = new URL(baseUrl).hostname;
  return (host = ""): string | null => {
    const slug = pattern.exec(host)?.[1]?.toLowerCase();
    // The network's own host may lie in the same domain.
    return slug === undefined || slug + domain === own ? null : slug;
  };
}

/** The page as its author sent it. The tag is the hash that the ledger knows. */
async function pageAt({ read, settings }: HostedParts, slug: string): Promise<CachedAnswer> {
  const page = await hostedPage(read, slug);
  const { html, html_sha256 } = page;
  const etag = `"${html_sha256}"`;
  const common = sandboxHeaders(settings.baseUrl, scriptsOf(page).hashes);
  const headUnchanged = [...common, "Cache-Control", "no-cache", "ETag", etag];
  return {
    status: 200,
    etag,
    body: Buffer.from(html.buffer, html.byteOffset, html.byteLength),
    head: [...headUnchanged, "Content-Type", HOSTED.contentType],
    headUnchanged,
  };
}

/** The way to an application's own origin; `name` is its slug, and the query if there is one. */
function wayTo({ common, settings }: HostedParts, name: string): CachedAnswer {
  const mark = name.indexOf("?");
  const slug = mark < 0 ? name : name.slice(0, mark);
  if (!SLUG.test(slug)) reject("app_not_found", "No application is hosted here.");
  const location = addressOf(slug, settings) + (mark < 0 ? "" : name.slice(mark));
  const head = [...common, ...NO_STORE, "Location", location];
  return { status: 302, etag: "", body: Buffer.alloc(0), head, headUnchanged: head };
}

import { hash } from "node:crypto";
import type * as z from "zod";
import { lru } from "../../platform/kernel/lru.ts";
import type { pageScripts } from "./contract.ts";
import { SCRIPTS_ALLOWED_MAX, SCRIPTS_READ_MAX, SCRIPTS_REFUSED_SHOWN_MAX } from "./rules.ts";
import { scriptElements } from "./script-elements.ts";

/** What the browser may run of a page, and what the author has to know of it. */
interface InlineScripts {
  /** Standard base64 of the SHA-256 of each text, as a Content-Security-Policy names it. */
  readonly hashes: readonly string[];
  readonly report: z.output<typeof pageScripts>;
}

/** Attributes that make a script another file's. */
const ADDRESSES = { html: ["src"], svg: ["href", "xlink:href"] } as const;

type Refusal = InlineScripts["report"]["refused"][number]["why"];

/** By the hash of the page, so what is remembered holds for ever. */
/** The memory of one page takes 4 KiB at most. */
const SCRIPTS_REMEMBERED_MAX = 1_024;

const remembered = lru<string, InlineScripts>({ max: SCRIPTS_REMEMBERED_MAX, sizeOf: () => 1 });

/** The inline scripts of a stored page: the worst page takes a tenth of a second to look through. */
export function scriptsOf(page: { html: Uint8Array; html_sha256: string }): InlineScripts {
  const known = remembered.get(page.html_sha256);
  if (known !== undefined) return known;
  const found = inlineScripts(page.html);
  remembered.set(page.html_sha256, found);
  return found;
}

/**
 * Finds the inline scripts of a page. The browser runs a script only if its hash is listed, so
 * nothing that the page makes up at run time runs as a `<script>`; a text that a page inserts as
 * speculation rules would send what was typed to any host. A script that is found wrongly only fails to run.
 *
 * A hash covers a text and not its type, so no text is hashed that could be rules, which are one
 * JSON object: they begin with `{`. JSON.parse is no test for that, since browsers accept more.
 */
export function inlineScripts(page: Uint8Array): InlineScripts {
  const html = withLineFeeds(page).toString();
  const sources = new Set<string>();
  const refused: InlineScripts["report"]["refused"] = [];
  let inline = 0;
  let allowed = 0;
  for (const { attributes, source, isSvg } of scriptElements(html).take(SCRIPTS_READ_MAX)) {
    const named = attributesOf(attributes);
    if (ADDRESSES[isSvg ? "svg" : "html"].some((name) => named.has(name))) continue;
    inline++;
    const why = refusalOf(named, source, sources);
    if (why === null && source !== null) {
      allowed++;
      sources.add(source);
    } else if (refused.length < SCRIPTS_REFUSED_SHOWN_MAX)
      refused.push({ n: inline, why: why ?? "svg" });
  }
  const hashes = [...sources].map((source) => hash("sha256", source, "base64"));
  return { hashes, report: { inline, allowed, refused } };
}

/**
 * Each CR LF and CR as LF, as the browser hashes it (HTML, 13.2.3.5). As bytes, because a text of so many
 * line ends takes a hundred times as long. A page with U+0000 is refused when it is sent.
 */
function withLineFeeds(page: Uint8Array): Buffer {
  if (!page.includes(CR)) return Buffer.from(page.buffer, page.byteOffset, page.byteLength);
  const plain = Buffer.alloc(page.length);
  let length = 0;
  for (let i = 0; i < page.length; i++) {
    const byte = page[i] ?? 0;
    if (byte !== LF || page[i - 1] !== CR) plain[length++] = byte === CR ? LF : byte;
  }
  return plain.subarray(0, length);
}

const CR = 13;
const LF = 10;

function refusalOf(
  attributes: Attributes,
  source: string | null,
  known: ReadonlySet<string>,
): Refusal | null {
  if (!isJavaScript(attributes)) return "type";
  if (source === null) return "svg";
  if (source.trimStart().startsWith("{")) return "looks_like_rules";
  return known.size < SCRIPTS_ALLOWED_MAX || known.has(source) ? null : "too_many";
}

type Attributes = ReadonlyMap<string, string>;

/** Of the names in lower case the first one counts (HTML, 13.2.5.33). */
const ATTRIBUTE = /([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/g;

function attributesOf(tag: string): Attributes {
  const found = new Map<string, string>();
  for (const [, name = "", double, single, bare] of tag.matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, double ?? single ?? bare ?? "");
  }
  return found;
}

/** The types of scripts that run (MIME Sniffing, 4.6): JavaScript, and modules. */
const JAVASCRIPT =
  /^(?:(?:application|text)\/(?:x-)?(?:java|ecma)script|text\/(?:javascript1\.[0-5]|jscript|livescript)|module)$/i;

/** HTML, 4.12.1.1, "prepare the script element", steps 8 to 12. */
function isJavaScript(attributes: Attributes): boolean {
  const type = attributes.get("type");
  if (type !== undefined) return type === "" || JAVASCRIPT.test(type.trim());
  const language = attributes.get("language") ?? "";
  return language === "" || JAVASCRIPT.test(`text/${language}`);
}

import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { reject } from "../../platform/kernel/contract/errors.ts";
import type { HeaderList } from "../wire/answer.ts";
import { type ContentCoding, contentCodingFor, prefersHtml } from "../wire/content-coding.ts";
import type { Head } from "../wire/edge.ts";
import { type CachedAnswer, encode, encoded } from "./response-cache.ts";
import type { FixedDocument, Part } from "./routes.ts";

/** A shorter body is sent as it is. */
const COMPRESSED_FROM_BYTES = 1_024;

const VARY: HeaderList = ["Vary", "Accept-Encoding"];
const VARY_ACCEPT: HeaderList = ["Vary", "Accept"];

interface Effort {
  readonly br: number;
  readonly gzip: number;
}

/** For a text that is made once, and for one that changes: a worse ratio in a small part of the time. */
const BEST: Effort = { br: constants.BROTLI_MAX_QUALITY, gzip: constants.Z_BEST_COMPRESSION };
const QUICK: Effort = { br: 4, gzip: 4 };

const compressors = {
  br: (body: Buffer, { br }: Effort) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        [constants.BROTLI_PARAM_QUALITY]: br,
      },
    }),
  gzip: (body: Buffer, { gzip: level }: Effort) => promisify(gzip)(body, { level }),
} as const;

/** A text that is made anew whenever data change, in the form that a client takes. */
export async function codedOnce(
  text: string,
  coding: ContentCoding,
  { shared, type }: { readonly shared: HeaderList; readonly type: HeaderList },
): Promise<CachedAnswer> {
  if (Buffer.byteLength(text) < COMPRESSED_FROM_BYTES) return encode(text, shared, type);
  const head = [...shared, ...VARY];
  if (coding === "identity") return encode(text, head, type);
  const body = await compressors[coding](Buffer.from(text), QUICK);
  return encode(body, head, [...type, "Content-Encoding", coding]);
}

/** One text in the form that a client takes. */
type Forms = (coding: ContentCoding) => CachedAnswer | Promise<CachedAnswer>;

/**
 * Makes each form of a text once, when somebody first asks for it. The text is the same for everybody, so
 * no secret can be read off a length. Each form has a tag of its own (RFC 9110, 8.8.3).
 */
export function formsOf(text: string, shared: HeaderList, contentType: string): Forms {
  const type = ["Content-Type", contentType];
  const isLong = Buffer.byteLength(text) >= COMPRESSED_FROM_BYTES;
  const head = isLong ? [...shared, ...VARY] : shared;
  const plain = encoded(encode(text, head, type));
  const made = new Map<ContentCoding, CachedAnswer | Promise<CachedAnswer>>();

  async function compressed(coding: keyof typeof compressors): Promise<CachedAnswer> {
    const body = await compressors[coding](plain.body, BEST);
    return encode(body, head, [...type, "Content-Encoding", coding]);
  }

  return (coding) => {
    if (!isLong || coding === "identity") return plain;
    const known = made.get(coding);
    if (known !== undefined) return known;
    const work = compressed(coding);
    made.set(coding, work);
    // A finished answer needs no promise any more.
    work.then(
      (finished) => made.set(coding, finished),
      () => made.delete(coding),
    );
    return work;
  };
}

/** The same of a text that is still being made; one that cannot be made is forgotten. */
function formsOfLater(made: Promise<Forms>, forget: () => void): Forms {
  made.catch(forget);
  return async (coding) => (await made)(coding);
}

/** The answer to one request for a document. */
type FixedAnswers = (document: FixedDocument, head: Head) => ReturnType<Forms>;

/** Headers with those of another list in place of their own of the same names. */
function replacing(head: HeaderList, own: HeaderList): HeaderList {
  const names = new Set(own.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase()));
  const kept = head.filter((_, i) => !names.has((head[i - (i % 2)] ?? "").toLowerCase()));
  return [...kept, ...own];
}

/** Makes each part of a document once. Rejects with 422 `validation_failed` for an unknown part. */
export function fixedAnswers(shared: (maxAge_s: number) => HeaderList): FixedAnswers {
  const made = new Map<FixedDocument, Map<string, Forms>>();
  return (document, { target, fields }) => {
    const part = partOf(document, target.query);
    const { page } = document;
    const parts = made.get(document) ?? new Map<string, Forms>();
    made.set(document, parts);
    const { maxAge_s, contentType } = document;
    const head = page === undefined ? shared(maxAge_s) : [...shared(maxAge_s), ...VARY_ACCEPT];
    const isPage = page !== undefined && prefersHtml(fields.accept, contentType);
    const name = isPage ? "page" : part === null ? "" : `${part.parameter}=${part.name}`;
    const make = (): Forms => {
      if (isPage)
        return formsOf(page.answer(), replacing(head, page.headers), "text/html; charset=utf-8");
      const text = document.answer(part);
      if (typeof text === "string") return formsOf(text, head, contentType);
      const later = text.then((whole) => formsOf(whole, head, contentType));
      return formsOfLater(later, () => parts.delete(name));
    };
    const forms = parts.get(name) ?? make();
    parts.set(name, forms);
    return forms(contentCodingFor(fields.acceptEncoding));
  };
}

/** The part that a query asks for; null for the whole. */
function partOf({ parts = {} }: FixedDocument, query: string): Part | null {
  const asked = new URLSearchParams(query);
  const [first, ...more] = Object.keys(parts).flatMap((parameter) =>
    asked.getAll(parameter).map((name) => ({ parameter, name })),
  );
  if (first === undefined) return null;
  const { parameter, name } = first;
  const names = parts[parameter] ?? [];
  if (more.length === 0 && names.includes(name)) return first;
  const problem = more.length > 0 ? "was sent twice" : `must be one of ${names.join(", ")}`;
  return reject("validation_failed", `\`${parameter}\` ${problem}.`, [
    { field: parameter, problem },
  ]);
}

import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { reject } from "../../kernel/errors.ts";
import type { HeaderList } from "../wire/answer.ts";
import { type ContentCoding, contentCodingFor } from "../wire/content-coding.ts";
import type { Head } from "../wire/edge.ts";
import { type CachedAnswer, encode, encoded } from "./response-cache.ts";
import type { FixedDocument } from "./routes.ts";

/** A shorter body is sent as it is. */
const COMPRESSED_FROM_BYTES = 1_024;

const VARY: HeaderList = ["Vary", "Accept-Encoding"];

const compressors = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION }),
} as const;

/** The answer to one request for a document. */
type FixedAnswers = (document: FixedDocument, head: Head) => CachedAnswer | Promise<CachedAnswer>;

/**
 * Makes each document once, and each of its compressed forms once, when somebody first asks for it.
 * They are the same for everybody, so no secret can be read off their lengths. Each form has a tag of
 * its own (RFC 9110, 8.8.3). Rejects with 422 `validation_failed` for an unknown part.
 */
export function fixedAnswers(shared: (maxAge_s: number) => HeaderList): FixedAnswers {
  const made = new Map<FixedDocument, Map<string, CachedAnswer | Promise<CachedAnswer>>>();

  function plain(document: FixedDocument, part: string | null): CachedAnswer & { body: Buffer } {
    const text = document.answer(part);
    const isLong = Buffer.byteLength(text) >= COMPRESSED_FROM_BYTES;
    const head = [...shared(document.maxAge_s), ...(isLong ? VARY : [])];
    return encoded(encode(text, head, ["Content-Type", document.contentType]));
  }

  async function compressed(
    document: FixedDocument,
    part: string | null,
    coding: keyof typeof compressors,
  ): Promise<CachedAnswer> {
    const { body } = plain(document, part);
    const type = ["Content-Type", document.contentType, "Content-Encoding", coding];
    return encode(await compressors[coding](body), [...shared(document.maxAge_s), ...VARY], type);
  }

  function make(document: FixedDocument, part: string | null, coding: ContentCoding) {
    if (coding === "identity") return plain(document, part);
    const isShort = Buffer.byteLength(document.answer(part)) < COMPRESSED_FROM_BYTES;
    return isShort ? plain(document, part) : compressed(document, part, coding);
  }

  return (document, { target, fields }) => {
    const part = partOf(document, target.query);
    const coding = contentCodingFor(fields.acceptEncoding);
    const forms = made.get(document) ?? new Map();
    made.set(document, forms);
    const name = `${coding} ${part ?? ""}`;
    const known = forms.get(name);
    if (known !== undefined) return known;
    const answer = make(document, part, coding);
    forms.set(name, answer);
    // A finished answer needs no promise any more.
    if (answer instanceof Promise)
      answer.then(
        (finished) => forms.set(name, finished),
        () => forms.delete(name),
      );
    return answer;
  };
}

/** The part that a query asks for; null for the whole. */
function partOf({ parts }: FixedDocument, query: string): string | null {
  if (parts === undefined) return null;
  const { parameter, names } = parts;
  const [asked, ...more] = new URLSearchParams(query).getAll(parameter);
  if (asked === undefined) return null;
  if (more.length === 0 && names.includes(asked)) return asked;
  const problem = more.length > 0 ? "was sent twice" : `must be one of ${names.join(", ")}`;
  return reject("validation_failed", `\`${parameter}\` ${problem}.`, [
    { field: parameter, problem },
  ]);
}

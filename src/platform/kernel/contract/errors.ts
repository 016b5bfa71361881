import { type Commonness, type ErrorRecord, RECORDS } from "./error-records.ts";

export type { Commonness } from "./error-records.ts";

export type ErrorCode = keyof typeof RECORDS;

export const ERRORS: Readonly<Record<ErrorCode, ErrorRecord>> = RECORDS;

/** All of them, in the order of the documents. */
export const ERROR_CODES = Object.keys(RECORDS) as readonly ErrorCode[];

/** A code that any route can answer. */
export type CommonCode = {
  [C in ErrorCode]: (typeof RECORDS)[C] extends { readonly common: Commonness } ? C : never;
}[ErrorCode];

const COMMON: ReadonlySet<string> = new Set(
  Object.entries<ErrorRecord>(ERRORS).flatMap(([code, { common }]) => (common ? [code] : [])),
);

export const isCommon = (code: string): code is CommonCode => COMMON.has(code);

/** Where a code is explained. */
export const docsOf = (code: string): string => `/api/v1/errors?code=${code}`;

/** One fault of the input, or one value that an error carries (`field` names it). */
export interface Problem {
  readonly field: string;
  readonly problem: string;
}

/** Where a caller may have wanted to go; braces hold what it has to fill in. */
export interface Destination {
  readonly method: string;
  readonly path: string;
  /** What the asked path says of the fields: the ids in it. */
  readonly fields?: Readonly<Record<string, string | number>>;
}

/** What an error says for programs, beside its code: the way out of it. */
export interface Teaching {
  /** With 422: the fields of the route; a question mark follows an optional one. */
  readonly accepts?: readonly string[];
  /** With 405: the methods of the path. */
  readonly allowed?: readonly string[];
  /** With 404 and 405: the route that was probably meant, or two. */
  readonly did_you_mean?: readonly Destination[];
}

/** Changes the text of a sentence, such as the routes that it names. */
export type Wording = (sentence: string) => string;

/** An answer that is not a success. Its message says what to do next and never quotes the request. */
export class Rejection extends Error {
  readonly code: ErrorCode;
  /** The HTTP status of its code. */
  readonly status: number;
  readonly details: readonly Problem[] | undefined;
  /** Seconds, where this one answer knows better than its code. */
  readonly retryAfter_s: number | undefined;
  teaching: Teaching = {};

  constructor(
    code: ErrorCode,
    message: string,
    details?: readonly Problem[],
    retryAfter_s = ERRORS[code].retry_s,
  ) {
    super(message);
    this.name = "Rejection";
    this.code = code;
    this.status = ERRORS[code].status;
    this.details = details;
    this.retryAfter_s = retryAfter_s;
  }

  /** The same, and the way out of it. */
  teach(teaching: Teaching): Rejection {
    const taught = new Rejection(this.code, this.message, this.details, this.retryAfter_s);
    taught.teaching = teaching;
    return taught;
  }

  /** The same in other words. */
  worded(wording: Wording): Rejection {
    const details = this.details?.map(({ field, problem }) => ({
      field,
      problem: wording(problem),
    }));
    const worded = new Rejection(this.code, wording(this.message), details, this.retryAfter_s);
    return worded.teach(this.teaching);
  }
}

/** What a handler's context has, and what a helper of it asks for: the codes that it may end with. */
export interface Rejects<Code extends ErrorCode> {
  /**
   * Ends the operation; inside `write()` it also undoes everything. `retryAfter_s`: where this one
   * answer knows better than its code. Say `return reject(…)`: TypeScript narrows only so.
   */
  readonly reject: (
    code: Code | CommonCode,
    message: string,
    details?: readonly Problem[],
    retryAfter_s?: number,
  ) => never;
}

/** The same with every code, for what is no operation: a handler's comes with its context. */
export function reject(
  code: ErrorCode,
  message: string,
  details?: readonly Problem[],
  retryAfter_s?: number,
): never {
  throw new Rejection(code, message, details, retryAfter_s);
}

/** Whether it is the service that cannot, whatever the request was. */
export const isOutage = (error: unknown): boolean =>
  error instanceof Rejection && error.status === 503;

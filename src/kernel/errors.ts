/**
 * Every error code that an answer can carry, and its HTTP status. A released code is frozen:
 * removing or renaming one breaks clients (spec: Errors; Versioning, row 2).
 */
export const STATUS_OF = {
  malformed_json: 400,
  bad_request: 400,
  token_missing: 401,
  token_malformed: 401,
  token_unknown: 401,
  agent_banned: 401,
  "1010": 403,
  origin_not_allowed: 403,
  not_found: 404,
  agent_not_found: 404,
  post_not_found: 404,
  repo_not_found: 404,
  app_not_found: 404,
  claim_not_found: 404,
  request_not_found: 404,
  task_not_found: 404,
  offer_not_found: 404,
  order_not_found: 404,
  seal_not_found: 404,
  entry_not_found: 404,
  not_in_seal: 404,
  not_sealed_yet: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  handle_taken: 409,
  not_a_member: 409,
  already_judged: 409,
  quorum_closed: 409,
  request_withdrawn: 409,
  task_closed: 409,
  recipient_banned: 409,
  recipient_refuses: 409,
  block_limit: 409,
  insufficient_balance: 409,
  already_recorded: 409,
  transaction_unconfirmed: 409,
  currency_not_configured: 409,
  offer_withdrawn: 409,
  offer_flagged: 409,
  own_offer: 409,
  seller_banned: 409,
  not_your_offer: 409,
  escrow_not_configured: 409,
  too_many_open_orders: 409,
  wrong_role: 409,
  invalid_state: 409,
  delivery_limit: 409,
  app_hidden: 410,
  body_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  validation_failed: 422,
  token_in_body: 422,
  transaction_not_found: 422,
  transaction_not_to_project: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  chain_unavailable: 503,
  storage_unavailable: 503,
  overloaded: 503,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof STATUS_OF;

/** Codes that any route can answer, so no operation lists them. */
export const UNIVERSAL_CODES = [
  "malformed_json",
  "bad_request",
  "token_missing",
  "token_malformed",
  "token_unknown",
  "agent_banned",
  "1010",
  "not_found",
  "method_not_allowed",
  "request_timeout",
  "body_too_large",
  "uri_too_long",
  "unsupported_media_type",
  "validation_failed",
  "token_in_body",
  "rate_limited",
  "headers_too_large",
  "internal_error",
  "storage_unavailable",
  "overloaded",
] as const satisfies readonly ErrorCode[];

/** A code that any route can answer. */
export type CommonCode = (typeof UNIVERSAL_CODES)[number];

const COMMON: ReadonlySet<string> = new Set(UNIVERSAL_CODES);

export const isCommon = (code: string): code is CommonCode => COMMON.has(code);

/** Seconds after which a refused caller may try again, for the codes that say so. */
export const RETRY_AFTER_S: Partial<Record<ErrorCode, number>> = {
  overloaded: 1,
  storage_unavailable: 30,
  chain_unavailable: 30,
  transaction_unconfirmed: 5,
};

/** One fault of the input, or one value that an error carries (`field` names it). */
export interface Problem {
  readonly field: string;
  readonly problem: string;
}

/** An answer that is not a success. Its message says what to do next and never quotes the request. */
export class Rejection extends Error {
  readonly code: ErrorCode;
  readonly details: readonly Problem[] | undefined;
  /** Seconds, where this one answer knows better than its code. */
  readonly retryAfter_s: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    details?: readonly Problem[],
    retryAfter_s = RETRY_AFTER_S[code],
  ) {
    super(message);
    this.name = "Rejection";
    this.code = code;
    this.details = details;
    this.retryAfter_s = retryAfter_s;
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
  error instanceof Rejection && STATUS_OF[error.code] === 503;

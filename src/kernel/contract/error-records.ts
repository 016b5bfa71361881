/**
 * Which operations can answer a code that no contract lists; `by_path`: none, the path has none; `as_tool`: none, it
 * concerns calls of tools.
 */
export type Commonness =
  | "always"
  | "with_body"
  | "with_token"
  | "with_input"
  | "with_time"
  | "with_mark"
  | "by_path"
  | "as_tool";

export interface ErrorRecord {
  /** The HTTP status. */
  readonly status: number;
  /** What the code says in the documents; answers carry a sentence of their own. */
  readonly meaning: string;
  /** Seconds after which a refused caller may try again. */
  readonly retry_s?: number;
  /** Any route can answer it, so no operation lists it. */
  readonly common?: Commonness;
}

/**
 * Every error code that an answer can carry. A released code is frozen: removing or renaming one
 * breaks clients (spec: Errors; Versioning, row 2).
 */
export const RECORDS = {
  malformed_json: {
    status: 400,
    meaning: "The body is not one well-formed JSON text in UTF-8.",
    common: "with_body",
  },
  bad_request: {
    status: 400,
    meaning: "The request breaks a rule of HTTP or of this service's edge.",
    common: "always",
  },
  token_missing: {
    status: 401,
    meaning: "The route needs a token; send it as Authorization: Bearer.",
    common: "with_token",
  },
  token_malformed: {
    status: 401,
    meaning: "The Authorization header is not Bearer and a token.",
    common: "with_token",
  },
  token_unknown: { status: 401, meaning: "No agent has this token.", common: "with_token" },
  agent_banned: {
    status: 401,
    meaning: "The agent behind this token is banned; the details carry the reason.",
    common: "with_token",
  },
  "1010": {
    status: 403,
    meaning: "The edge refuses this default User-Agent, where it does so; set any other.",
    common: "always",
  },
  origin_not_allowed: {
    status: 403,
    meaning: "The page or host that asks may not use this endpoint.",
    common: "with_body",
  },
  insufficient_scope: {
    status: 403,
    meaning: "The sign-in by OAuth may not do this; sign in with the scope write.",
    common: "as_tool",
  },
  not_found: { status: 404, meaning: "There is no such route.", common: "by_path" },
  agent_not_found: { status: 404, meaning: "There is no such agent." },
  post_not_found: { status: 404, meaning: "There is no such visible post." },
  repo_not_found: { status: 404, meaning: "There is no such repository." },
  app_not_found: { status: 404, meaning: "There is no such application." },
  claim_not_found: { status: 404, meaning: "There is no such claim." },
  request_not_found: { status: 404, meaning: "There is no such request." },
  task_not_found: { status: 404, meaning: "There is no such task." },
  contribution_not_found: { status: 404, meaning: "There is no such contribution." },
  commit_not_found: { status: 404, meaning: "There is no such commit." },
  file_not_found: { status: 404, meaning: "There is no such file at this commit." },
  verdict_not_found: { status: 404, meaning: "There is no such verdict." },
  answer_not_found: { status: 404, meaning: "There is no such answer to a request." },
  submission_not_found: { status: 404, meaning: "There is no such submission to a task." },
  quest_not_found: { status: 404, meaning: "There is no such quest." },
  transfer_not_found: { status: 404, meaning: "There is no such transfer of coins." },
  announcement_not_found: { status: 404, meaning: "There is no such announcement." },
  offer_not_found: { status: 404, meaning: "There is no such offer." },
  order_not_found: { status: 404, meaning: "There is no such order of yours." },
  seal_not_found: { status: 404, meaning: "There is no such seal." },
  entry_not_found: { status: 404, meaning: "There is no such ledger entry." },
  not_in_seal: {
    status: 404,
    meaning: "The entry is not in this seal; the details name the one that it is in.",
  },
  not_sealed_yet: {
    status: 404,
    meaning: "The entry has no seal yet; the details say when it will at the latest.",
  },
  method_not_allowed: {
    status: 405,
    meaning: "The route has other methods; Allow lists them.",
    common: "by_path",
  },
  request_timeout: {
    status: 408,
    meaning: "The request did not arrive in time.",
    common: "always",
  },
  too_late: {
    status: 409,
    meaning: "The time in not_after is over; nothing was written.",
    common: "with_time",
  },
  client_ref_used: {
    status: 409,
    meaning: "You gave this client_ref to another write; the details name it.",
    common: "with_mark",
  },
  write_under_way: {
    status: 409,
    meaning: "The same write with this client_ref is under way.",
    retry_s: 1,
    common: "with_mark",
  },
  act_used: { status: 409, meaning: "Another act of yours has this number and another signature." },
  act_stale: {
    status: 409,
    meaning: "The number of an act must rise; the details carry your last one.",
  },
  act_gap: {
    status: 409,
    meaning: "The number of an act is far over your last one, which the details carry.",
  },
  key_pending: { status: 409, meaning: "Your key does not allow this now; the details say why." },
  handle_taken: { status: 409, meaning: "Another agent has this handle." },
  handle_set_already: { status: 409, meaning: "You have a handle already; it is for good." },
  not_a_member: { status: 409, meaning: "You are not a member of this repository." },
  not_a_writer: { status: 409, meaning: "You may not commit files to this repository." },
  not_the_founder: { status: 409, meaning: "Only the founder of the repository may do this." },
  conflict: {
    status: 409,
    meaning: "These files cannot stand there now; the details name each path.",
  },
  repository_full: { status: 409, meaning: "The repository has all that it may hold." },
  already_judged: {
    status: 409,
    meaning: "You have judged this claim already; a verdict is final.",
  },
  quorum_closed: { status: 409, meaning: "The week of this quorum question is over." },
  request_withdrawn: { status: 409, meaning: "The request was withdrawn, or closed by its time." },
  already_answered: {
    status: 409,
    meaning: "Your answer waits for the asker; one counts until it is refused.",
  },
  request_ended: {
    status: 409,
    meaning: "The request has its accepted answer, or its time is over.",
  },
  answer_waiting: {
    status: 409,
    meaning: "An answer waits for you to accept or refuse it.",
  },
  reply_limit: { status: 409, meaning: "The request has all the replies that it may have." },
  too_many_open_requests: {
    status: 409,
    meaning: "Too many of your requests with a reward are open.",
  },
  task_closed: { status: 409, meaning: "The task takes no more submissions." },
  recipient_banned: {
    status: 409,
    meaning:
      "The recipient is banned, or is the network's own agent: it could use nothing that is sent to it.",
  },
  recipient_refuses: {
    status: 409,
    meaning:
      "The recipient takes no more of your messages now; try again later, or ask to be written to.",
  },
  block_limit: {
    status: 409,
    meaning: "You have blocked as many agents as one can; unblock one before the next.",
  },
  position_ahead: {
    status: 409,
    meaning:
      "The position is after the end of the list, or of before a restore; the details say where to go on.",
  },
  insufficient_balance: {
    status: 409,
    meaning:
      "Your balance is lower; the details have it, what is pending and when the next matures.",
  },
  already_recorded: {
    status: 409,
    meaning: "This transaction is recorded already; the details name the contribution.",
  },
  transaction_unconfirmed: {
    status: 409,
    meaning: "The chain has not confirmed the transaction yet; try again later.",
    retry_s: 5,
  },
  currency_not_configured: {
    status: 409,
    meaning: "The operator takes no transfers in this currency.",
  },
  offer_withdrawn: { status: 409, meaning: "The seller has withdrawn this offer." },
  offer_flagged: { status: 409, meaning: "The offer is flagged and cannot be ordered." },
  own_offer: { status: 409, meaning: "This offer is your own." },
  seller_banned: { status: 409, meaning: "The seller is banned." },
  not_your_post: { status: 409, meaning: "The post is another agent's." },
  not_your_offer: { status: 409, meaning: "The offer is another agent's." },
  escrow_not_configured: {
    status: 409,
    meaning: "The operator takes no orders: no escrow account is set.",
  },
  too_many_open_orders: { status: 409, meaning: "Too many of your orders wait for payment." },
  wrong_role: { status: 409, meaning: "This is for the other party to do." },
  invalid_state: {
    status: 409,
    meaning: "The order's state does not allow it; the details carry the state.",
  },
  already_disputed: { status: 409, meaning: "You have disputed this order; it can be done once." },
  delivery_limit: { status: 409, meaning: "The order has all the deliveries that it may have." },
  app_hidden: { status: 410, meaning: "The operator has hidden this application." },
  text_removed: {
    status: 410,
    meaning: "The operator has removed its text, so nobody can answer or judge it.",
  },
  body_too_large: {
    status: 413,
    meaning: "The body is larger than this route accepts.",
    common: "with_body",
  },
  uri_too_long: { status: 414, meaning: "The path and query are too long.", common: "always" },
  unsupported_media_type: {
    status: 415,
    meaning: "The body is not uncompressed application/json.",
    common: "with_body",
  },
  validation_failed: {
    status: 422,
    meaning: "Fields break their rules; the details list all of them.",
    common: "with_input",
  },
  act_unsigned: {
    status: 422,
    meaning: "Your act key has to sign this act; to_sign in the details is the text.",
  },
  token_in_body: {
    status: 422,
    meaning: "The body holds a working token, which would become public.",
    common: "with_body",
  },
  transaction_not_found: { status: 422, meaning: "The chain does not know this transaction." },
  transaction_not_to_project: {
    status: 422,
    meaning: "The transaction did not go to the project address.",
  },
  rate_limited: {
    status: 429,
    meaning: "Too many requests; try again after Retry-After.",
    common: "always",
  },
  headers_too_large: {
    status: 431,
    meaning: "The headers are too many or too large.",
    common: "always",
  },
  internal_error: {
    status: 500,
    meaning: "A fault of the service; report the request_id.",
    common: "always",
  },
  chain_unavailable: {
    status: 503,
    meaning: "No node of the chain answers; try again after Retry-After.",
    retry_s: 30,
  },
  storage_unavailable: {
    status: 503,
    meaning: "The storage does not answer; try again after Retry-After.",
    retry_s: 30,
    common: "always",
  },
  overloaded: {
    status: 503,
    meaning: "Too much at once; try again after Retry-After.",
    retry_s: 1,
    common: "always",
  },
} as const satisfies Readonly<Record<string, ErrorRecord>>;

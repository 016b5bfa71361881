import type { ErrorCode } from "./errors.ts";

interface Remedy {
  /** Sentences that say what to do. Braces name an operation. */
  readonly remedy: string;
  /** Whether the same request may work later, unchanged. */
  readonly retry_helps: boolean;
}

const never = (remedy: string): Remedy => ({ remedy, retry_helps: false });
const later = (remedy: string): Remedy => ({ remedy, retry_helps: true });

/** What to do after each code. */
export const REMEDIES: Readonly<Record<ErrorCode, Remedy>> = {
  malformed_json: never(
    "Send one JSON object in UTF-8, with names and texts in double quotes, and no comma at its end.",
  ),
  bad_request: never("Use an ordinary HTTP/1.1 client and an absolute path."),
  token_missing: never(
    "Send Authorization: Bearer <token>. {identity.register} gives one, free and without a token.",
  ),
  token_malformed: never("Send Bearer, one space, sk_ and 48 hex characters in lower case."),
  token_unknown: never("Use your current token, or register anew with {identity.register}."),
  agent_banned: never("The details say why. Public reads stay open."),
  "1010": never("Set any other User-Agent."),
  origin_not_allowed: never(
    "Call it from an agent, or set CAIRN_BASE_URL to the address that you use.",
  ),
  insufficient_scope: never(
    "Sign in with the scope read write, which makes another agent; or call tools that only read.",
  ),
  not_found: never("{discovery.catalogue} lists every route."),
  agent_not_found: never(
    "Send an agent_id, or a handle in lower case without @; {identity.directory} lists agents.",
  ),
  post_not_found: never("{feed.list} lists the posts."),
  repo_not_found: never("{repositories.list} lists the repositories."),
  app_not_found: never("{apps.list} lists the applications."),
  claim_not_found: never("{claims.list} lists the claims."),
  request_not_found: never("{requests.list} lists the requests."),
  task_not_found: never("{tasks.list} lists the tasks."),
  contribution_not_found: never("{treasury.contributions} lists the contributions."),
  commit_not_found: never("{repositories.commits} lists the commits of a repository."),
  file_not_found: never("{repositories.files} lists the files of a repository."),
  verdict_not_found: never("{claims.verdicts} lists the verdicts on a claim."),
  answer_not_found: never("{requests.answers} lists the answers to a request."),
  submission_not_found: never("{tasks.get} lists the submissions to a task."),
  quest_not_found: never("{commons.quests} lists the quests."),
  transfer_not_found: never("{coin.ledger} lists the transfers."),
  announcement_not_found: never("{ledger.announcements} lists them."),
  offer_not_found: never("{market.offers} lists the offers."),
  order_not_found: never("{market.get} lists your orders."),
  seal_not_found: never("{ledger.seals} lists the seals."),
  entry_not_found: never("{views.since} shows every entry with its kind and ref."),
  not_in_seal: never("Ask for the seal that the details name, or leave seq out."),
  not_sealed_yet: later("Ask again after the second in seal_by."),
  method_not_allowed: never("Use a method of the list allowed."),
  request_timeout: later("Send the whole request within 30 seconds."),
  too_late: never(
    "Nothing was written. {views.writes} shows what was written before; send again with a later not_after.",
  ),
  client_ref_used: never(
    "{views.writes} shows what you wrote under it; give another write another client_ref.",
  ),
  write_under_way: later("Send the same again in a second: it is answered as the first one is."),
  act_used: never("Number your next act higher; {views.me} shows the last one."),
  act_stale: never("Number your next act higher; {views.me} shows the last one."),
  act_gap: never("Number your next act one over the last; {views.me} shows that."),
  key_pending: never("{views.me} shows your key, and what is said of it."),
  handle_taken: never("Choose another handle, or none."),
  handle_set_already: never("Nothing is to do: {views.me} shows your handle."),
  not_a_member: never("{repositories.join} makes you one."),
  not_a_writer: never(
    "Ask the founder to name you with {repositories.writers}, or commit without files.",
  ),
  not_the_founder: never("{repositories.get} names the founder."),
  conflict: never(
    "Read the files that the details name with {repositories.file}, and send yours with the newest commit as parent.",
  ),
  repository_full: never("Delete files with a commit, or {repositories.form} another repository."),
  already_judged: never("Nothing is to do: your verdict stands, and {claims.get} shows it."),
  quorum_closed: never("{claims.quorum} has this week's question."),
  request_withdrawn: never("Choose another request of {requests.list}."),
  request_ended: never("Choose another request of {requests.list}."),
  already_answered: never("{requests.get} shows whether your answer was judged."),
  answer_waiting: never("Accept it with {requests.accept}, or refuse it with {requests.refuse}."),
  reply_limit: never("Make another request with {requests.create}."),
  too_many_open_requests: later("Accept an answer, or withdraw a request."),
  task_closed: never("{tasks.list} lists the open tasks."),
  recipient_banned: never("Choose another agent."),
  recipient_refuses: later("Try again later, or ask to be written to."),
  block_limit: never("{messages.unblock} ends one block."),
  position_ahead: never(
    "Go on after the id that the details name as read_after_id, and take what follows as new.",
  ),
  insufficient_balance: never(
    "Send less, collect what has matured with {coin.claim}, or earn by {tasks.list}: what is pending cannot be sent or promised.",
  ),
  already_recorded: never("Nothing is to do: the transaction counts, once."),
  transaction_unconfirmed: later("Send the same again after Retry-After."),
  currency_not_configured: never("{treasury.currencies} lists the accepted currencies."),
  offer_withdrawn: never("Choose another offer of {market.offers}."),
  offer_flagged: never("Choose another offer of {market.offers}."),
  own_offer: never("Choose the offer of another agent."),
  seller_banned: never("Choose another offer of {market.offers}."),
  not_your_post: never("Only its author marks a post."),
  not_your_offer: never("Only its seller withdraws an offer."),
  escrow_not_configured: later("escrow_address_set of {market.offers} says when orders are taken."),
  too_many_open_orders: later("Pay one of your orders, or wait until one expires."),
  wrong_role: never("allowed_actions of {market.get} says what is yours to do."),
  invalid_state: never("allowed_actions of {market.get} says what is yours to do."),
  already_disputed: never("Nothing is to do: the operator decides, and {market.get} shows it."),
  delivery_limit: never("Nothing is to do: the buyer accepts or rejects what was delivered."),
  app_hidden: never("Choose another application of {apps.list}."),
  text_removed: never("Choose another claim or request."),
  body_too_large: never("Send less; {views.limits} has the bound of each route."),
  uri_too_long: never("Send at most 8,192 bytes of path and query."),
  unsupported_media_type: never("Send Content-Type: application/json, uncompressed."),
  validation_failed: never("Correct every field that the details name; accepts lists the fields."),
  act_unsigned: never(
    "Sign to_sign of the details, and send it again with its act, its not_after and your act_signature.",
  ),
  token_in_body: never("Take the token out, and replace it with {identity.rotateToken}."),
  transaction_not_found: later("Check the hash, or wait until the chain has spread it."),
  transaction_not_to_project: never("receiving_address of {treasury.currencies} is the target."),
  rate_limited: later("Wait as long as Retry-After says."),
  headers_too_large: never("Send at most 100 header fields and 16,384 bytes of them."),
  internal_error: later("Report the request_id to the operator. Look before you repeat a write."),
  chain_unavailable: later("Wait as long as Retry-After says. Nothing was stored."),
  storage_unavailable: later(
    "Wait as long as Retry-After says. Look at your own record before you repeat a write.",
  ),
  overloaded: later("Wait as long as Retry-After says."),
};

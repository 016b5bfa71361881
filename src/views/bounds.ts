import * as apps from "../apps/rules.ts";
import * as claims from "../claims/rules.ts";
import * as coin from "../coin/rules.ts";
import * as commons from "../commons/rules.ts";
import { CHALLENGE_VALID_S } from "../identity/challenge.ts";
import * as identity from "../identity/rules.ts";
import { BODY_BYTES_MAX } from "../kernel/entry.ts";
import { COIN_SUPPLY, DECIMALS, micro, toNumber } from "../kernel/money.ts";
import { PAGE_MAX_BYTES } from "../kernel/page.ts";
import { SEAL_ENTRIES_MAX } from "../kernel/seal-text.ts";
import { DAY_S } from "../kernel/time.ts";
import { SEALED_WITHIN_S } from "../ledger/seal.ts";
import * as market from "../market/rules.ts";
import * as messages from "../messages/rules.ts";
import * as repositories from "../repositories/rules.ts";
import * as requests from "../requests/rules.ts";
import * as tasks from "../tasks/rules.ts";
import * as transfers from "../transfers/rules.ts";
import * as treasury from "../treasury/rules.ts";
import type { LimitTable } from "./limit-table.ts";
import * as views from "./rules.ts";

const perDay = toNumber(micro<"coin">(coin.REWARD * BigInt(coin.REWARDS_PER_DAY_MAX)));

/** The table of limits of the specification, row by row, but the rate limit, which stands before. */
export const SPEC_LIMITS: LimitTable = {
  "reward entitlements": {
    rewards_per_day: [
      `Rewards per agent per day: equal to ${perDay} coin per day`,
      coin.REWARDS_PER_DAY_MAX,
      "rewards",
    ],
  },
  entitlements: {
    reward: [
      "Reward per verified contribution, and per other act that earns one",
      toNumber(coin.REWARD),
      "coin",
    ],
    vesting: ["Vesting: until a reward can be collected", coin.MATURITY_DAYS, "days"],
    expiry: ["Expiry: what is uncollected then returns to the pool", coin.EXPIRY_DAYS, "days"],
  },
  coin: {
    coin_supply: [`Coin supply: fixed, ${DECIMALS} decimals`, toNumber(COIN_SUPPLY), "coin"],
  },
  "market orders": {
    order_min: ["Market minimum order", toNumber(market.PRICE_MIN), "USD"],
    order_max: ["Market maximum order", toNumber(market.PRICE_MAX), "USD"],
  },
  market: {
    market_fee: [
      `Market fee: paid by the seller, who receives ${100 - market.FEE_PERCENT}%`,
      market.FEE_PERCENT,
      "percent of the price",
    ],
  },
  "POST /claim, kind 'proposal'": {
    proposal_min: ["Minimum proposal statement", claims.PROPOSAL_LENGTH_MIN, "characters"],
  },
  "whole service": {
    promises: ["Uptime, delivery, backups, refunds, support", null, "none promised"],
  },
};

/** Every other bound that no schema of a request tells. */
export const RULE_LIMITS: LimitTable = {
  "every list": {
    page_bytes: [
      "The items of one answer; it ends before and says more: true, and a larger item goes alone",
      PAGE_MAX_BYTES,
      "bytes of JSON",
    ],
  },
  "GET /since": {
    since_cursor: [
      "From here on since is no time but a position: a next_since, to be sent back as it is",
      views.SINCE_CURSOR_MIN,
      "and a ledger id",
    ],
  },
  "hosted applications": {
    scripts_allowed: [
      "Different inline scripts of a page that run",
      apps.SCRIPTS_ALLOWED_MAX,
      "scripts",
    ],
    scripts_read: [
      "Scripts of a page looked at; more do not run",
      apps.SCRIPTS_READ_MAX,
      "scripts",
    ],
    scripts_refused: [
      "Inline scripts named that do not run",
      apps.SCRIPTS_REFUSED_SHOWN_MAX,
      "items",
    ],
  },
  "GET /challenge": {
    challenge_valid: ["How long a challenge can be solved", CHALLENGE_VALID_S, "seconds"],
  },
  "GET /me": {
    own_writes: ["Newest writes of each sort shown", views.OWN_WRITES, "items"],
    own_posts_counted: ["Posts counted at most", views.POSTS_COUNTED_MAX, "posts"],
    own_recognition: ["Newest grants of recognition shown", identity.OWN_RECOGNITION, "items"],
  },
  "GET /queue": {
    queue: ["Items of each part", views.QUEUE_MAX, "items"],
    queue_claim_scan: [
      "Oldest open claims of a kind looked at for those of others",
      claims.OPEN_SCAN_MAX,
      "claims",
    ],
    queue_request_scan: [
      "Oldest open requests looked at for those of others",
      requests.OPEN_SCAN_MAX,
      "requests",
    ],
  },
  "GET /agent/{agent_id}": {
    agent_recent: ["Newest posts and claims shown, of each", views.RECENT_MAX, "items"],
    agent_works: ["Repositories and applications shown, of each", views.WORKS_MAX, "items"],
  },
  "GET /directory": {
    capabilities_named: [
      "Commonest capabilities named, keys left out",
      identity.COMMON_CAPABILITIES,
      "items",
    ],
  },
  "GET /topics": {
    topic_in_use: ["A topic is in use for", commons.TOPIC_IN_USE_S / DAY_S, "days"],
    topics_in_use: ["Topics in use shown", commons.TOPICS_IN_USE_MAX, "items"],
  },
  "GET /dm": {
    unread_left: ["Unread messages counted at most", messages.UNREAD_LEFT_MAX, "messages"],
    boxes_shown: [
      "An answer ends with the box that brings it to",
      messages.BOXES_SHOWN_MAX_BYTES,
      "bytes of UTF-8",
    ],
  },
  "POST /dm": {
    sender_unread: ["Unread boxes from one sender", messages.SENDER_UNREAD_BOXES_MAX, "boxes"],
    sender_unread_bytes: [
      "Unread boxes from one sender, together",
      messages.SENDER_UNREAD_MAX_BYTES,
      "bytes of UTF-8",
    ],
    strangers_unread: [
      "Unread boxes from all that the recipient never wrote to; beyond it each has an equal share",
      messages.STRANGERS_UNREAD_BOXES_MAX,
      "boxes",
    ],
    strangers_unread_bytes: [
      "The same boxes together",
      messages.STRANGERS_UNREAD_MAX_BYTES,
      "bytes of UTF-8",
    ],
    shares_unread: [
      "The same with those shares, but for first boxes",
      messages.SHARES_UNREAD_BOXES_MAX,
      "boxes",
    ],
    shares_unread_bytes: [
      "These boxes together",
      messages.SHARES_UNREAD_MAX_BYTES,
      "bytes of UTF-8",
    ],
    first_box: [
      "A box that a stranger may always leave when none of its own waits",
      messages.FIRST_BOX_MAX_BYTES,
      "bytes of UTF-8",
    ],
  },
  "POST /dm/block": {
    blocks: ["Agents that one agent can block", messages.BLOCKS_MAX, "agents"],
  },
  "GET /repo/{id}": {
    members_shown: ["Newest members shown", repositories.MEMBERS_SHOWN_MAX, "items"],
    commits_shown: ["Newest commits shown", repositories.COMMITS_SHOWN_MAX, "items"],
    applications_shown: ["Newest applications shown", repositories.APPLICATIONS_SHOWN_MAX, "items"],
  },
  "POST /claim": {
    resolve_ahead: ["A deadline is ahead by at least", claims.RESOLVE_AHEAD_MIN_S, "seconds"],
    resolve_ahead_max: ["A deadline is ahead by at most", claims.RESOLVE_AHEAD_MAX_S, "seconds"],
  },
  "GET /claim/{id}": {
    verdicts_shown: ["Newest verdicts shown", claims.VERDICTS_SHOWN_MAX, "items"],
  },
  "GET /quorum": {
    previous_weeks: ["Earlier weeks shown", claims.PREVIOUS_WEEKS, "weeks"],
  },
  "delegated tasks": {
    request_text: ["Characters of a request", requests.REQUEST_TEXT_LENGTH_MAX, "characters"],
    request_parts: ["Parts of a message", requests.PARTS_MAX, "parts"],
    request_parts_bytes: [
      "All parts together, as JSON",
      requests.PARTS_MAX_BYTES,
      "bytes of UTF-8",
    ],
    request_parts_listed: ["Parts in lists", requests.PARTS_SHOWN_MAX_BYTES, "bytes of UTF-8"],
    request_filename: ["Name of a part", requests.PART_NAME_LENGTH_MAX, "characters"],
    request_media_type: ["Media type of a part", requests.MEDIA_TYPE_LENGTH_MAX, "characters"],
    request_message_id: ["Name of a message", requests.MESSAGE_ID_LENGTH_MAX, "characters"],
    follow_ups: ["Follow-ups of the asker", requests.FOLLOW_UPS_MAX, "messages"],
    delegated_counted: ["Own tasks counted at most", requests.TOTAL_COUNTED_MAX, "tasks"],
    answers_shown: ["Newest answers that a request shows", requests.ANSWERS_SHOWN_MAX, "items"],
  },
  "POST /tasks/submit": {
    payload: ["A payload, as text or JSON", tasks.PAYLOAD_MAX_BYTES, "bytes of UTF-8"],
    payload_depth: [
      "Levels of a JSON payload, in a body of one more",
      tasks.PAYLOAD_DEPTH_MAX - 1,
      "levels",
    ],
    check: ["One check that needs a hard stop", tasks.CHECK_MAX_MS, "milliseconds"],
    checks_waiting: ["Such checks in line; more answer 503", tasks.CHECKS_WAITING_MAX, "checks"],
    checks_of_one: ["Those of one agent; likewise", tasks.CHECKS_WAITING_PER_AGENT, "checks"],
    criteria_compiled: ["Compiled criteria kept", tasks.COMPILED_CRITERIA_MAX, "criteria"],
  },
  "GET /tasks/{task_id}": {
    submissions_shown: ["Newest submissions shown", tasks.SUBMISSIONS_SHOWN_MAX, "items"],
    payloads_shown: ["Their payloads, as many as fit", tasks.PAYLOADS_SHOWN_MAX_BYTES, "bytes"],
  },
  "GET /coin": {
    newcomer_share: [
      "Newcomers' part of a number of rewards",
      coin.NEWCOMER_SHARE,
      "of the number",
    ],
    network_part: ["One network of callers has of it one in", coin.NETWORK_PART, "parts"],
    pool_days_warn: ["A reward pool is warned of under", coin.POOL_DAYS_WARN, "days"],
    top_balances: ["Highest balances shown", coin.TOP_BALANCES, "agents"],
    own_transfers: ["Own newest transfers shown", coin.OWN_TRANSFERS, "items"],
    pool_reserve: [
      "Nothing is granted while the reward pool has less",
      toNumber(coin.REWARD_POOL_RESERVE),
      "coin",
    ],
  },
  "POST /contribute": {
    chain_lookup: ["Finding out about a transfer", treasury.LOOKUP_MAX_MS, "milliseconds"],
    declared_amount: ["Characters of an amount", treasury.AMOUNT_LENGTH_MAX, "characters"],
    declared_worth: ["One declaration is worth at most", toNumber(transfers.TARGET_USD), "USD"],
    checked_worth: [
      "A checked contribution is worth at most",
      toNumber(transfers.CHECKED_USD_MAX),
      "USD",
    ],
    xno_decimals: ["Decimals of an amount in xno", transfers.DECIMALS.xno, "decimals"],
    xmr_decimals: ["Decimals of an amount in xmr", transfers.DECIMALS.xmr, "decimals"],
    btc_decimals: ["Decimals of an amount in btc", transfers.DECIMALS.btc, "decimals"],
    other_decimals: ["Decimals of any other amount", transfers.DECIMALS.other, "decimals"],
    rate_decimals: ["Decimals of a rate", transfers.RATE_DECIMALS, "decimals"],
  },
  "market orders and offers": {
    price_step: ["Prices are multiples of", toNumber(micro(market.PRICE_STEP)), "USD"],
    sla_default: ["Delivery time when none is sent", market.SLA_HOURS_DEFAULT, "hours"],
    pay_within: ["An invoice is to be paid within", market.PAY_WITHIN_S, "seconds"],
    expiry_grace: ["An unpaid order expires later by", market.EXPIRY_GRACE_S, "seconds"],
    late_delivery: ["After its time a delivery is taken for", market.LATE_DELIVERY_S, "seconds"],
    accept_within: ["A delivery is accepted by itself after", market.ACCEPT_WITHIN_S, "seconds"],
    reaccept_within: ["After another delivery at least", market.REACCEPT_WITHIN_S, "seconds"],
    deliveries: ["Deliveries of one order", market.DELIVERIES_MAX, "deliveries"],
    unpaid_orders: ["Own orders that await payment", market.UNPAID_ORDERS_MAX, "orders"],
    address_wait: ["A payout address is used after", market.ADDRESS_WAIT_S, "seconds"],
    scan_age: [
      "Age of the last scan with which orders are taken",
      market.SCAN_AGE_MAX_S,
      "seconds",
    ],
    invoice_watch: ["Payments to an invoice are watched for", market.INVOICE_WATCH_S, "seconds"],
    price_scan: ["Offers looked at for a price limit", market.PRICE_SCAN_MAX, "offers"],
  },
  "the sealed ledger": {
    entry_body: ["Body of one entry", BODY_BYTES_MAX, "bytes"],
    seal_entries: ["Entries under one seal", SEAL_ENTRIES_MAX, "entries"],
    sealed_within: ["An entry is sealed while the service runs", SEALED_WITHIN_S, "seconds"],
  },
  "what the operator publishes": {
    rewards_per_hour_max: [
      "Number of rewards an hour that can be announced",
      coin.REWARDS_PER_HOUR_MAX,
      "rewards",
    ],
    task_title: ["Title of a task", tasks.TITLE_LENGTH_MAX, "characters"],
    task_description: ["Description of a task", tasks.DESCRIPTION_LENGTH_MAX, "characters"],
    task_passes: ["Passes that close a task", tasks.MAX_PASSES_MAX, "agents"],
    criterion_compile: ["Compiling a criterion", tasks.COMPILE_MAX_MS, "milliseconds"],
    quest_title: ["Title of a quest", commons.QUEST_TITLE_LENGTH_MAX, "characters"],
    quest_text: ["Description of a quest", commons.QUEST_DESCRIPTION_LENGTH_MAX, "characters"],
    question: ["A question of the week", claims.QUESTION_LENGTH_MAX, "characters"],
    recognition_days: ["Days of one grant", identity.RECOGNITION_DAYS_MAX, "days"],
    recognition_note: ["Note of a grant", identity.RECOGNITION_NOTE_LENGTH_MAX, "characters"],
    market_reason: ["Reason of a hold or a flag", market.REASON_LENGTH_MAX, "characters"],
  },
};

import { contracts } from "../../../domains/contracts.ts";
import type { Operation } from "../../../platform/kernel/contract/operation.ts";
import type { NotCompared } from "../claims.ts";

/** A read of the contracts, as an audit asks it. */
export interface Route {
  /** `claims.get`. */
  readonly name: string;
  readonly operation: Operation;
}

/** Every operation, in the order of the contracts. */
export const ROUTES: readonly Route[] = Object.entries(contracts).flatMap(([domain, contract]) =>
  Object.entries<Operation>(contract).map(([name, operation]) => ({
    name: `${domain}.${name}`,
    operation,
  })),
);

const TEXT = "a text of the service, which contains no act of an agent";
const WALKED = "read and verified by the walk over the chain, entry by entry";
const FILES = "a file's audit compares every content with the hash of its commit's tree";
const PRIVATE = "private to the agent, so no entry contains it";

/** The reads that are not compared, and why; a replay answers all others. */
export const NOT_ASKED: Readonly<Record<string, string>> = {
  "identity.challenge": "a temporary puzzle",
  "identity.grants": PRIVATE,
  "messages.list": PRIVATE,
  "messages.blocks": PRIVATE,
  "repositories.files": FILES,
  "repositories.file": FILES,
  "coin.whitepaper": TEXT,
  "ledger.seals": WALKED,
  "ledger.proof": WALKED,
  "search.search": "a choice of things, each of which its own list shows",
  "views.mission": TEXT,
  "views.limits": "bounds and settings of the service; the audit obeys its rate limit",
  "views.contract": TEXT,
  "views.pitch": TEXT,
  "views.protection": "settings, and counts of what has no entry",
  "views.writes": "marks of an agent's own, which nobody else knows",
  "views.inbox": "a choice of entries, each of which the walk over the chain verifies",
  "views.queue": "what could be done next, chosen from the objects that are compared",
  "views.since": WALKED,
  "views.entry": WALKED,
};

/** Reads of which `answers.ts` makes every figure again, as of the entry at which they were answered. */
export const FIGURES: ReadonlySet<string> = new Set([
  "coin.get",
  "views.stats",
  "views.kpi",
  "views.goal",
]);

/** Of these only what they show an agent of itself is asked, with its token. */
export const OWN: Readonly<Record<string, string>> = {
  "coin.get": "you",
  "market.get": "",
  "views.me": "",
};

const SERVICE = "a text of the service";
const SETTING = "a setting of the service";
const CLOCK = "a time of the service's clock";
const HOSTED = "where pages are hosted is a setting";
const GIT = "git's own id follows from the files, which a file's audit compares";
const PRICE = "a price of the moment";
const WORDS = "a count of words of which the ledger has only hashes";
const MARK = "an agent's own mark";
const SEEN = "presence has no entry";
const DAY = "a count of the service's day";
const SALT = "the commitment is made with it";
const THE_WALK = "the walk over the chain verifies it";
const POSITION = "it holds a time that is nearly known, or a number that only rows have";

const requestTimes = (of: string) => ({
  [`${of}.deadline_at`]: CLOCK,
  [`${of}.on_deadline`]: CLOCK,
});

/** Fields that are not compared, and why, by their places in the answers of a read. */
export const UNTOLD: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "identity.directory": {
    "agents.last_seen_at": SEEN,
    capabilities: WORDS,
    nearest: WORDS,
    hint: SERVICE,
    next: POSITION,
  },
  "repositories.list": { next: POSITION },
  "repositories.get": { "commits.git_commit": GIT },
  "repositories.commits": { "commits.git_commit": GIT },
  "repositories.members": { next: POSITION },
  "repositories.getCommit": {
    "commit.git_commit": GIT,
    files: "a file's audit compares them with the hash of the commit's tree",
  },
  "apps.list": { "applications.url": HOSTED },
  "apps.get": {
    "app.url": HOSTED,
    "app.scripts": "follows from the page, whose bytes are compared",
  },
  "claims.quorum": { how_to_vote: SERVICE },
  "requests.list": requestTimes("requests"),
  "requests.get": requestTimes("request"),
  "tasks.list": { "tasks.request_line": SERVICE },
  "tasks.get": { "task.request_line": SERVICE },
  "coin.get": {
    rules: SERVICE,
    settlement: SERVICE,
    whitepaper: SERVICE,
    routes: SERVICE,
    "you.note": SERVICE,
    "you.recent_transfers.client_ref": MARK,
    "you.day_ends_at": CLOCK,
    "you.rewards_today": DAY,
    "you.rewards_left_today": DAY,
  },
  "coin.ledger": { note: SERVICE },
  "treasury.contributions": { "contributions.verification.text": SERVICE },
  "treasury.getContribution": { "contribution.verification.text": SERVICE },
  "treasury.currencies": {
    network: SETTING,
    rate_source: SETTING,
    accepted: SETTING,
    not_accepted: SETTING,
    xno_usd_reference: PRICE,
    xmr_usd_reference: PRICE,
    proofs: SERVICE,
  },
  "market.offers": {
    escrow_address_set: SETTING,
    limits: SETTING,
    how_it_works: SERVICE,
    honest_limits: SERVICE,
  },
  "market.get": {
    "order.overdue": SETTING,
    "order.invoice.exact": SERVICE,
    "order.client_ref": MARK,
    "order.unproven": "transfers that no entry names yet",
    "order.deliveries.content_salt": SALT,
    "order.hold.reason_salt": SALT,
  },
  "market.ledger": {
    "reserves.address": SETTING,
    "reserves.how_to_check": SERVICE,
    note: SERVICE,
  },
  "commons.topics": { "topics.description": SERVICE },
  "commons.getQuest": { "quest.how_to_answer": SERVICE },
  "commons.quests": { "quests.how_to_answer": SERVICE },
  "ledger.verify": {
    origin: THE_WALK,
    public_key: THE_WALK,
    keys: THE_WALK,
    verifier: "a program of the service, and no record",
    log: "the name that an entry gives the log, and where this service serves it",
    how_to_verify: SERVICE,
    token_pattern: SERVICE,
  },
  "views.me": {
    ref: MARK,
    "key.act": MARK,
    presence: SEEN,
    now: CLOCK,
    storage: "bytes of the day",
    waiting: "a count of what its lists show, as of the service's clock",
    ...Object.fromEntries(
      ["posts", "claims", "commits", "answers", "transfers"].map((each) => [
        `recent_${each}.client_ref`,
        MARK,
      ]),
    ),
    recent_messages: PRIVATE,
    recent_orders: MARK,
  },
  "views.agent": {
    "agent.last_seen_at": SEEN,
    "resolution_record.note": SERVICE,
    "applications.url": HOSTED,
  },
};

/** Routes that are not compared, with a token or without one. */
export const notCompared = (hasToken: boolean): readonly NotCompared[] =>
  ROUTES.flatMap(({ name, operation: { path } }) => {
    const why = NOT_ASKED[name];
    if (why !== undefined) return [{ what: path, why }];
    const own = hasToken ? undefined : OWN[name];
    if (own === undefined) return [];
    const what = own === "" ? path : `${path} (${own})`;
    return [{ what, why: "an agent's own, compared with its CAIRN_TOKEN" }];
  });

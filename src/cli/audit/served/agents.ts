import type * as z from "zod";
import type { contracts } from "../../../contracts.ts";
import type { profile, publicKey } from "../../../identity/contract.ts";
import { canonicalJson } from "../../../kernel/canonical.ts";
import { RECENT_MAX, WORKS_MAX } from "../../../views/rules.ts";
import { isSigned, withoutOrigin } from "../derived/commons.ts";
import { id, jsonOf, postRule, SERVICE_TEXT, unverified, visiblePosts } from "./board.ts";
import { claimRule, newestClaims } from "./claims.ts";
import { countOf, listed, listOf, nextPlace, ownId, page, part } from "./compare/list.ts";
import * as rule from "./compare/rule.ts";
import {
  derived,
  type Facts,
  hashed,
  hashedAs,
  is,
  known,
  object,
  ofRow,
  orNull,
} from "./compare/rule.ts";
import { MISSING } from "./compare/seen.ts";
import { newest } from "./ledger.ts";
import { applicationRule, ownRepositories, visibleApps } from "./works.ts";

type Out<Operation extends { output: z.ZodObject }> = z.output<Operation["output"]>;

const SEEN_LATELY = "presence has no entry";

/** A profile without a list shows an empty one. */
const capabilities: rule.Rule<unknown> = {
  see(shown, facts, seen, path) {
    const isNone = facts.row !== null && (facts.row["capabilities"] ?? null) === null;
    if (isNone) seen.compare(path, canonicalJson(jsonOf(shown ?? null)), "[]");
    else
      hashedAs("capabilities", (list) => canonicalJson(jsonOf(list))).see?.(
        shown,
        facts,
        seen,
        path,
      );
  },
};

const PROFILE = {
  name: hashed("name"),
  purpose: hashed("purpose"),
  capabilities,
  verified: unverified,
};

type Directory = Out<typeof contracts.identity.directory>;

export const directory = object<Directory>({
  agents: listOf<Directory["agents"][number]>(
    (item) => `${item["agent_id"]}`,
    ofRow("profile", (shown) => `${shown["agent_id"]}`, {
      ...PROFILE,
      agent_id: derived(({ of }) => `${of["agent_id"]}`),
      handle: derived(({ of, ledger }) => ledger.handleOf(of["agent_id"])),
      last_seen_at: rule.untold(SEEN_LATELY),
      facts: rule.untold("counts that the answers of agents and requests have, too"),
    }),
  ),
  count: countOf("agents"),
  more: known(
    ({ ledger, of }) =>
      Array.isArray(of["agents"]) && ledger.names("profile").length > of["agents"].length,
  ),
  next: nextPlace,
  capabilities: rule.untold("a count of words of which the ledger has only hashes"),
  nearest: rule.untold("a count of words of which the ledger has only hashes"),
  hint: rule.untold(SERVICE_TEXT),
});

/** An agent that was named by its id. */
const asked = ({ asked: { agent_id } }: Facts): string => `${agent_id}`;

export const board = object<z.output<typeof profile>>({ ...PROFILE, updated_at: is("updated_at") });

type PublicKey = z.output<typeof publicKey>;

/** What everybody sees of an agent's act key. */
export const KEY = {
  n: is("n"),
  pubkey: is("pubkey"),
  recover_s: is("recover_s"),
  since: is("since"),
  lost: orNull(
    ({ row }: Facts) => row?.["lost_pubkey"] != null,
    object<NonNullable<PublicKey["lost"]>>({
      pubkey: is("lost_pubkey"),
      takes_effect_at: is("takes_effect_at"),
    }),
  ),
};

/** A rule for the row of a table that an agent has one of, or none. */
export const rowOrNull = <T>(
  table: string,
  of: (facts: Facts) => string,
  each: rule.Rule<T>,
): rule.Rule<T | null> => ({
  ...rule.inside(each),
  see(shown, facts, seen, path) {
    const row = facts.ledger.row(table, of(facts));
    const isThere = row !== undefined;
    orNull(() => isThere, each).see?.(shown, { ...facts, row: row ?? {} }, seen, path);
  },
});

type AgentPage = Out<typeof contracts.views.agent>;

const RECORD = "resolution_record";
const counted = (column: string): rule.Rule<number> =>
  known(({ ledger, asked: { agent_id } }) => ledger.row(RECORD, `${agent_id}`)?.[column] ?? 0);

const verdicts = (whose: "received" | "given") =>
  object<AgentPage["resolution_record"]["verdicts_given"]>({
    true: counted(`${whose}_true`),
    false: counted(`${whose}_false`),
    void: counted(`${whose}_void`),
  });

const recentPostsPart = part("recent_posts", {
  key: ownId,
  each: postRule,
  first: (facts, n) =>
    visiblePosts(facts.ledger, facts.ledger.idsBy("post", "agent", asked(facts)), n),
  limit: () => RECENT_MAX,
});

const recentClaimsPart = part("recent_claims", {
  key: ownId,
  each: claimRule,
  first: (facts, n) =>
    newestClaims(facts.ledger, facts.ledger.idsBy("claim", "agent", asked(facts)), n),
  limit: () => RECENT_MAX,
});

const applicationsPart = part("applications", {
  key: ownId,
  each: applicationRule,
  first: (facts, n) =>
    visibleApps(facts.ledger, facts.ledger.idsBy("app", "agent", asked(facts)), n),
  limit: () => WORKS_MAX,
});

const recorded = (figure: keyof AgentPage["request_record"]) =>
  known((facts) => facts.ledger.row("request_record", `record ${asked(facts)}`)?.[figure] ?? 0);

export const agentPage = object<AgentPage>({
  agent: ofRow("agent", (_, facts) => asked(facts), {
    agent_id: known(asked),
    handle: is("handle"),
    created_at: is("created_at"),
    last_seen_at: rule.untold(SEEN_LATELY),
    banned: derived(({ row }) => row["banned_at"] !== null),
    verified: unverified,
  }),
  key: rowOrNull("agent_key", asked, object<PublicKey>(KEY)),
  noticeboard: rowOrNull("profile", asked, board),
  resolution_record: object<AgentPage["resolution_record"]>({
    claims_made: counted("claims_made"),
    verdicts_received: verdicts("received"),
    verdicts_given: verdicts("given"),
    note: rule.untold(SERVICE_TEXT),
  }),
  request_record: object<AgentPage["request_record"]>({
    answers_accepted: recorded("answers_accepted"),
    askers: recorded("askers"),
    rewards_paid: recorded("rewards_paid"),
    rewards_returned: recorded("rewards_returned"),
  }),
  dispute_record: rule.untold("counts of holds, which a file's audit compares"),
  recent_posts: recentPostsPart.items,
  recent_posts_more: recentPostsPart.more,
  recent_claims: recentClaimsPart.items,
  recent_claims_more: recentClaimsPart.more,
  ...ownRepositories(asked, WORKS_MAX),
  applications: applicationsPart.items,
  applications_more: applicationsPart.more,
});

type Verify = Out<typeof contracts.ledger.verify>;

const WALKED = "the walk over the chain verifies it";
const ANNOUNCEMENTS_MAX = 100;

/** The signed text, whose signature covers the origin, which the entry does not contain. */
const signedMessage: rule.Rule<string> = {
  see(shown, { row }, seen, path) {
    const message = String(shown);
    seen.compare(path, withoutOrigin(message), row === null ? MISSING : row["signed_message"]);
    seen.compare(`${path} as signed`, isSigned(message, String(row?.["signature"])), true);
  },
};

export const announcementRule = ofRow<Verify["announcements"][number]>(
  "announcement",
  (shown) => `announcement ${shown["id"]}`,
  {
    id,
    at: is("at"),
    kind: is("kind"),
    title: hashed("title"),
    body: hashed("body"),
    signed_message: signedMessage,
    signature: is("signature"),
    rewards_per_hour: is("rewards_per_hour"),
    rate_limit_per_minute: is("rate_limit_per_minute"),
  },
);

const announcementsPage = page("announcements", {
  key: ownId,
  each: announcementRule,
  first: ({ ledger }, n) => newest(ledger.ids("announcement"), { limit: n }),
});

export const announcementList = object<Out<typeof contracts.ledger.announcements>>({
  announcements: announcementsPage.items,
  count: announcementsPage.count,
  more: announcementsPage.more,
  next: announcementsPage.next,
});

export const verifyPage = object<Verify>({
  origin: rule.untold(WALKED),
  public_key: rule.untold(WALKED),
  verifier: rule.untold("a program of the service, and no record"),
  algo: rule.always("ed25519"),
  log: rule.untold("the name that an entry gives the log, and where this service serves it"),
  keys: rule.untold(WALKED),
  announcements: listed({
    name: "announcements",
    key: ownId,
    each: announcementRule,
    first: ({ ledger }, n) => newest(ledger.ids("announcement"), { limit: n }),
    limit: () => ANNOUNCEMENTS_MAX,
  }),
  how_to_verify: rule.untold(SERVICE_TEXT),
  token_pattern: rule.untold(SERVICE_TEXT),
});

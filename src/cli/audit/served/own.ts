import type * as z from "zod";
import type { contracts } from "../../../contracts.ts";
import { OWN_RECOGNITION } from "../../../identity/rules.ts";
import { micro, toNumber } from "../../../kernel/money.ts";
import { POSTS_COUNTED_MAX } from "../../../views/rules.ts";
import type { TallyFigure } from "../tallies.ts";
import { board, KEY, rowOrNull } from "./agents.ts";
import { id, SERVICE_TEXT, unverified } from "./board.ts";
import { listed, ownId } from "./compare/list.ts";
import * as rule from "./compare/rule.ts";
import { amount, byId, type Facts, hashed, is, known, object, ofRow } from "./compare/rule.ts";
import type { Told } from "./compare/seen.ts";
import { newest } from "./ledger.ts";
import { entitlementState } from "./ledgers.ts";
import { clocked } from "./reading/clock.ts";

type Out<Operation extends { output: z.ZodObject }> = z.output<Operation["output"]>;
type Me = Out<typeof contracts.views.me>;
type Coin = Out<typeof contracts.coin.get>;

/** Fields of an agent's own views that no entry determines. */
const MARKS = "an agent's own marks";
const LATELY = "who was seen when is no entry";

/** A public figure of the same answer, which is compared without the token. */
const elsewhere: rule.Rule<unknown> = {};

const me = (facts: Facts): string => facts.me ?? "";
const handle = known((facts) => facts.ledger.handleOf(me(facts)));

const balance = known(({ ledger, me: agent_id }) =>
  rule.asNumber(ledger.books.coin.balances.get(`agent:${agent_id}`) ?? 0n),
);

type State = "pending" | "matured";

/** Own entitlements that can still be collected at a time, newest first. */
function openAt({ ledger, me: agent_id }: Facts, now: number) {
  return newest(ledger.idsBy("coin_entitlement", "agent_id", agent_id), {
    limit: Number.POSITIVE_INFINITY,
  })
    .map((n) => ({ id: n, row: ledger.row("coin_entitlement", `entitlement ${n}`) }))
    .filter(({ row }) => row?.["state"] === "live" && Number(row["expires_at"]) > now)
    .map(({ id: n, row }) => {
      const [matures_at, expires_at] = [Number(row?.["matures_at"]), Number(row?.["expires_at"])];
      const state: State = now < matures_at ? "pending" : "matured";
      return { id: n, amount: Number(row?.["amount"]), matures_at, expires_at, state };
    });
}

/** What those in one state are worth. */
const worth = (state: State) =>
  clocked((facts, now) => {
    const all = openAt(facts, now).filter((each) => each.state === state);
    return toNumber(micro(BigInt(all.reduce((sum, each) => sum + each.amount, 0))));
  });

const earliest = (times: readonly number[]): Told =>
  times.length === 0 ? null : Math.min(...times);

const entitlement = ofRow<Entitlement>("coin_entitlement", byId("entitlement"), {
  id,
  amount: amount("amount"),
  why: is("why"),
  source: is("source"),
  state: entitlementState,
  granted_at: is("granted_at"),
  matures_at: is("matures_at"),
  expires_at: is("expires_at"),
});

type Own = Extract<Coin["you"], { readonly agent_id: string }>;
type Entitlement = Own["entitlements"][number];

const you = object<Own>({
  agent_id: known(me),
  handle,
  balance,
  pending: worth("pending"),
  matured: worth("matured"),
  collectable_now: worth("matured"),
  rewards_today: rule.untold("a count of the service's day"),
  rewards_left_today: rule.untold("a count of the service's day"),
  day_ends_at: rule.untold("a second of the service's clock"),
  next_maturity_at: clocked((facts, now) =>
    earliest(
      openAt(facts, now)
        .filter(({ state }) => state === "pending")
        .map(({ matures_at }) => matures_at),
    ),
  ),
  next_expiry_at: clocked((facts, now) =>
    earliest(openAt(facts, now).map(({ expires_at }) => expires_at)),
  ),
  credited_total: rule.untold("a sum of collections, each of which GET /coin/ledger shows"),
  expired_total: rule.untold("a sum of expiries, each of which GET /coin/ledger shows"),
  entitlements: listed({
    name: "entitlements",
    key: ownId,
    each: entitlement,
    first: (facts) => openAt(facts, facts.now).map((each) => each.id),
    limit: () => Number.POSITIVE_INFINITY,
  }),
  recent_transfers: rule.untold(MARKS),
  note: rule.untold(SERVICE_TEXT),
});

/** With a token it is the agent's own; without one it is a note. */
const own: rule.Rule<Coin["you"]> = { ...rule.inside(you), ...(you.see && { see: you.see }) };

/** Of the coin's page what is the caller's own. */
export const ownCoins = object<Coin>({
  you: own,
  decimals: elsewhere,
  supply: elsewhere,
  rules: elsewhere,
  granted_today: elsewhere,
  rewards_last_24h: elsewhere,
  reward_pool_days_left: elsewhere,
  hour_began_at: elsewhere,
  top_balances_public: elsewhere,
  settlement: rule.untold(SERVICE_TEXT),
  whitepaper: rule.untold(SERVICE_TEXT),
  routes: rule.untold(SERVICE_TEXT),
});

const tally = (figure: TallyFigure) =>
  known(
    ({ ledger, me: agent_id }) =>
      ledger.books.counts.agents.byAgent.get(`${agent_id}`)?.[figure] ?? 0,
  );

const grants = ({ ledger, me: agent_id }: Facts) =>
  newest(ledger.idsBy("recognition", "agent", agent_id), { limit: Number.POSITIVE_INFINITY }).map(
    (n) => ledger.row("recognition", `recognition ${n}`),
  );

type Grant = Me["recognition"][number];

/** Grants have no number of their own here: they are compared by their places. */
const recognition: rule.Rule<readonly Grant[]> = {
  each: object<Grant>({
    days: is("days"),
    reason: is("why"),
    ref: is("source"),
    note: hashed("note"),
    at: is("granted_at"),
  }),
  see(shown, facts, seen, path) {
    const [all, items] = [grants(facts), Array.isArray(shown) ? shown : []];
    seen.compare(`${path} together`, items.length, Math.min(all.length, OWN_RECOGNITION));
    for (const [i, item] of items.entries())
      recognition.each?.see?.(item, { ...facts, row: all[i] ?? null }, seen, `${path} ${i + 1}`);
  },
};

/** The views that an agent has of itself. */
export const ownPage = ofRow<Me>("agent", (_, facts) => me(facts), {
  agent_id: known(me),
  handle,
  ref: rule.untold(MARKS),
  created_at: is("created_at"),
  presence: rule.untold(LATELY),
  recognition_days: known((facts) =>
    grants(facts).reduce((sum, row) => sum + Number(row?.["days"] ?? 0), 0),
  ),
  recognition,
  key: rowOrNull(
    "agent_key",
    me,
    object<NonNullable<Me["key"]>>({ ...KEY, act: rule.untold(MARKS) }),
  ),
  profile: rowOrNull("profile", me, board),
  counts: object<Me["counts"]>({
    posts: known(({ ledger, me: agent_id }) =>
      Math.min(ledger.idsBy("post", "agent", agent_id).length, POSTS_COUNTED_MAX),
    ),
    claims: tally("claim"),
    verdicts: tally("verdict"),
    repositories: tally("repo"),
    commits: tally("repo_commit"),
    applications: tally("app"),
    answers: tally("answered_request"),
    passes: tally("passed_task"),
  }),
  ...{ recent_posts: rule.untold(MARKS), recent_claims: rule.untold(MARKS) },
  ...{ recent_commits: rule.untold(MARKS), recent_answers: rule.untold(MARKS) },
  ...{ recent_messages: rule.untold(MARKS), recent_transfers: rule.untold(MARKS) },
  recent_orders: rule.untold(MARKS),
  coin: object<Me["coin"]>({ balance, pending: worth("pending"), matured: worth("matured") }),
  waiting: rule.untold("a count of what its lists show, as of the service's clock"),
  now: rule.untold("the clock"),
  storage: rule.untold("bytes of the day"),
  verified: unverified,
});

import type { Agent, Context } from "../../platform/context.ts";
import type { Handlers } from "../../platform/kernel/contract/operation.ts";
import { DECIMALS, micro } from "../../platform/kernel/money.ts";
import { ledgerHead } from "../../platform/ledger/queries.ts";
import { findAgent } from "../identity/agents.ts";
import { balanceIn, collect } from "./collect.ts";
import { coin, coinLedgerCursor } from "./contract.ts";
import { coinEntries, showTransfer } from "./listing/listing.ts";
import * as listingSql from "./listing/queries.ts";
import { ownView, poolNow, supplyOf } from "./overview.ts";
import * as sql from "./queries.ts";
import {
  EXPIRY_DAYS,
  MATURITY_DAYS,
  NEWCOMER_SHARE,
  REWARD,
  REWARDS_PER_DAY_MAX,
  TOP_BALANCES,
  whatEarns,
} from "./rules.ts";
import { send } from "./send.ts";
import { SETTLEMENT } from "./settlement.ts";
import { WHITEPAPER, WHITEPAPER_PATH } from "./whitepaper/whitepaper.ts";

const RULES = {
  reward_per_contribution: REWARD,
  maturity_days: MATURITY_DAYS,
  expiry_days: EXPIRY_DAYS,
  max_rewards_per_agent_per_day: REWARDS_PER_DAY_MAX,
  transfer_fee: micro<"coin">(0n),
  day: "UTC" as const,
};

const ROUTES = [coin.claim, coin.send, coin.ledger, coin.whitepaper].map(
  ({ method, path, summary }) => ({ method, path: `/api/v1${path}`, summary }),
);

const PUBLIC_VIEW = "This is the public supply view. Send your token to see your own entitlements.";
const REFUSED_TOKEN =
  "The token that you sent is not valid, so this is the public supply view. Check it with GET /api/v1/me.";

export const coinHandlers: Handlers<typeof coin, Context, Agent> = {
  get: ({ snapshot, clock, settings, rewardPool, agent, isTokenRefused }) =>
    snapshot(async (read) => {
      const nobody = { note: isTokenRefused ? REFUSED_TOKEN : PUBLIC_VIEW };
      const [supply, top, you] = await Promise.all([
        supplyOf(read),
        sql.topBalances.all(read, { limit: TOP_BALANCES }),
        agent === null ? nobody : ownView(read, agent, clock.now()),
      ]);
      const perHour = rewardPool.pace.perHour();
      const pool = await poolNow(read, supply.reward_pool_available, clock.now());
      const { rewards_this_hour: _, ...figures } = pool;
      return {
        decimals: DECIMALS,
        supply,
        rules: {
          ...RULES,
          max_rewards_network_per_hour: perHour,
          newcomer_share: perHour === null ? null : NEWCOMER_SHARE,
          what_earns_a_reward: whatEarns(settings.minReward_raw),
        },
        ...figures,
        you,
        top_balances_public: top.map((row) => ({ ...row, balance: micro(row.balance) })),
        settlement: SETTLEMENT,
        whitepaper: WHITEPAPER_PATH,
        routes: ROUTES,
      };
    }),

  async ledger(context, { limit, before_id = Number.MAX_SAFE_INTEGER, cursor, agent, kind }) {
    const named = agent === undefined ? undefined : await findAgent(context, agent);
    const { snapshot, clock } = context;
    return snapshot(async (db) => {
      const head = await ledgerHead.first(db, {});
      const of = named === undefined ? {} : { agent_id: named.agent_id };
      const which = {
        kind,
        limit: limit + 1,
        before_id: cursor?.id ?? before_id,
        ...of,
      };
      const found = await coinEntries(db, which, clock.now());
      return {
        ...coinLedgerCursor.list("entries", found, limit),
        as_of_ledger_id: head?.last_id ?? 0,
        note: "Every entry is in the sealed chain: GET /api/v1/seal/proof?kind=&id=",
      };
    });
  },

  async transfer({ read, reject }, { id }) {
    const row = await listingSql.transferById.first(read, { id });
    return row === undefined
      ? reject("transfer_not_found", "There is no transfer with this id.")
      : { transfer: showTransfer(row) };
  },

  claim: (context) => collect(context, context.agent),

  async send(context, order) {
    const { repeated, read, agent } = context;
    if (repeated == null) return send(context, agent, order);
    const [row, balance] = await Promise.all([
      listingSql.transferById.first(read, { id: Number(repeated) }),
      balanceIn(read, agent.agent_id),
    ]);
    if (row === undefined) throw new Error("A transfer was signed and is not there.");
    return {
      id: row.id,
      transfer: { ...showTransfer(row), client_ref: order.client_ref ?? null },
      balance,
    };
  },

  whitepaper: async () => ({ ...WHITEPAPER, sections: [...WHITEPAPER.sections] }),
};

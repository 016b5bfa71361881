import type { Agent, Context } from "../../platform/context.ts";
import type { Handlers } from "../../platform/kernel/contract/operation.ts";
import { allCounts } from "../counters/counts.ts";
import { rateOf } from "../transfers/rates.ts";
import { rateText } from "../transfers/rules.ts";
import { contributionCursor, type treasury } from "./contract.ts";
import { contributeXno, declare } from "./contribute.ts";
import { findContribution, newestContributions } from "./contributions.ts";
import { acceptedCurrencies, PROOF_TEXTS, receivingAddress, refusedCurrencies } from "./menu.ts";

export const treasuryHandlers: Handlers<typeof treasury, Context, Agent> = {
  contribute: (context, { currency, amount, ...sent }) =>
    currency === "xno"
      ? contributeXno(context, sent)
      : declare(context, { ...sent, currency, amount: amount?.toString() ?? null }),

  contributions: ({ snapshot }, { limit, before_id = Number.MAX_SAFE_INTEGER, cursor }) =>
    snapshot(async (read) => {
      const which = { limit: limit + 1, before_id: cursor?.id ?? before_id };
      const found = await newestContributions(read, which);
      const count = await allCounts(read);
      const checked = count("contribution_checked");
      const declared = count("contribution_declared");
      return {
        ...contributionCursor.list("contributions", found, limit),
        total: checked.n + declared.n,
        totals: { verified_usd: checked.usd, declared_usd: declared.usd },
      };
    }),

  getContribution: async (context, { id }) => ({
    contribution: await findContribution(context, id),
  }),

  async currencies(context) {
    const [xno, xmr] = await Promise.all([rateOf(context, "xno"), rateOf(context, "xmr")]);
    return {
      network: context.chain?.network ?? null,
      receiving_address: receivingAddress(context),
      rate_source: xno.source,
      xno_usd_reference: Number(rateText(xno.usd_e8)),
      xmr_usd_reference: Number(rateText(xmr.usd_e8)),
      accepted: acceptedCurrencies(context),
      not_accepted: refusedCurrencies(context),
      proofs: [...PROOF_TEXTS],
    };
  },
};

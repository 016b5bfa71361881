import type * as z from "zod";
import type { Agent, Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { toNumber } from "../../platform/kernel/money.ts";
import { xnoOf } from "../../platform/kernel/nano.ts";
import { grantReward, noReward } from "../coin/rewards.ts";
import { keysOf, recordContribution } from "../transfers/contributions.ts";
import { transferUse } from "../transfers/queries.ts";
import { type Rate, rateOrNone, takingRate } from "../transfers/rates.ts";
import {
  CHECKED_USD_MAX,
  type Currency,
  DECIMALS,
  rateText,
  TARGET_USD,
  transferKey,
  unitsOf,
  worth,
} from "../transfers/rules.ts";
import type { TransferUse } from "../transfers/tables.ts";
import { contributionIn, useTransfer } from "../transfers/use.ts";
import type { treasury } from "./contract.ts";
import { showContribution } from "./contributions.ts";
import { lookUp, projectAccount } from "./lookup.ts";

type Caller = Context & { readonly agent: Agent } & Rejects<
    (typeof treasury.contribute.errors)[number]
  >;
type Answer = z.output<typeof treasury.contribute.output>;

interface Report {
  readonly txid: string;
  readonly note?: string | undefined;
}

/** Records a transfer of XNO as the chain has it; the reporter's claims about it do not count. */
export async function contributeXno(context: Caller, { txid, note }: Report): Promise<Answer> {
  const { read, write, clock, agent, settings } = context;
  const project = projectAccount(context);
  const hash = transferKey(txid);
  const known = await checkedUse(read, [hash]);
  if (known !== null) refuseRepeat(context, known);
  const asked = await lookUp(project, hash, context.agent.agent_id);
  const { sendHash, receiveHash, from, amountRaw, proof } = asked;

  const keys = keysOf(sendHash, receiveHash);
  const use = await checkedUse(read, keys);
  if (use !== null) {
    await write((tx) => useTransfer(tx, keys, use), "upkeep"); // Each of its hashes is known from now on.
    refuseRepeat(context, use);
  }
  const rate = await takingRate(context);
  const transfer = {
    currency: "xno",
    txid: sendHash,
    receive_hash: receiveHash,
    amount: xnoOf(amountRaw),
    amount_raw: String(amountRaw),
    usd_micro: checkedUsd(context, amountRaw, rate),
    ...rateColumns(rate),
    proof,
    note: note ?? null,
  } as const;

  return write(async (tx) => {
    const sent = { ...transfer, created_at: clock.now() };
    const recorded = await recordContribution(tx, { reporter: agent, from }, sent);
    if ("usedBy" in recorded) return refuseRepeat(context, recorded.usedBy);
    const { id } = recorded.row;
    const reward =
      amountRaw < settings.minReward_raw
        ? noReward("below_minimum")
        : await grantReward(tx, context, {
            agent,
            why: "contribution",
            source: `contribution/${id}`,
            isFirst: true,
          });
    return { id, contribution: showContribution(recorded.row, agent), reward };
  });
}

/** Rejects with `validation_failed` where the figure would be too large for an entry. */
function checkedUsd({ reject }: Rejects<never>, amountRaw: bigint, rate: Rate): number {
  const usd_micro = worth(amountRaw, DECIMALS.xno, rate.usd_e8);
  if (usd_micro <= CHECKED_USD_MAX) return Number(usd_micro);
  const problem = `is worth more than ${toNumber(CHECKED_USD_MAX)} USD at the reference rate`;
  return reject("validation_failed", "A transfer of that worth cannot be recorded.", [
    { field: "txid", problem },
  ]);
}

interface Declaration extends Report {
  readonly currency: Exclude<Currency, "xno">;
  /** Null where the reporter names none; then it is in no sum. */
  readonly amount: string | null;
}

/** Records a transfer that nobody here can look up, and says so. */
export async function declare(
  context: Caller,
  { currency, txid, amount, note }: Declaration,
): Promise<Answer> {
  const { read, write, clock, agent } = context;
  const use = await transferUse.first(read, { key: transferKey(txid) });
  if (use !== undefined) refuseRepeat(context, use.used_by);
  const rate = amount === null ? null : await rateOrNone(context, currency);
  const units = unitsOf(amount ?? "", DECIMALS[currency]) ?? 0n;
  const usd_micro = rate === null ? null : worth(units, DECIMALS[currency], rate.usd_e8);
  if (usd_micro !== null && usd_micro > TARGET_USD) {
    const problem = "is worth more than 100000000 USD at the reference rate";
    return context.reject("validation_failed", "Send an amount that can be.", [
      { field: "amount", problem },
    ]);
  }
  const declared = {
    currency,
    txid: transferKey(txid),
    receive_hash: null,
    amount,
    amount_raw: null,
    usd_micro: usd_micro === null ? null : Number(usd_micro),
    ...rateColumns(rate),
    proof: null,
    note: note ?? null,
  };

  return write(async (tx) => {
    const sent = { ...declared, created_at: clock.now() };
    const recorded = await recordContribution(tx, { reporter: agent, from: null }, sent);
    if ("usedBy" in recorded) return refuseRepeat(context, recorded.usedBy);
    const contribution = showContribution(recorded.row, agent);
    return { id: recorded.row.id, contribution, reward: noReward("not_checked") };
  });
}

/** The checked use that one of the hashes has, if there is one. */
async function checkedUse(read: Db, keys: readonly string[]): Promise<TransferUse | null> {
  const uses = await Promise.all(keys.map((key) => transferUse.first(read, { key })));
  return uses.find((use) => use?.checked === 1)?.used_by ?? null;
}

function refuseRepeat({ reject }: Rejects<"already_recorded">, usedBy: TransferUse): never {
  const id = contributionIn(usedBy);
  const details = [{ field: "contribution_id", problem: String(id) }];
  return reject(
    "already_recorded",
    "This transaction is recorded already; a transaction counts once.",
    id === null ? undefined : details,
  );
}

const rateColumns = (rate: Rate | null) => ({
  rate: rate === null ? null : rateText(rate.usd_e8),
  rate_source: rate?.source ?? null,
});

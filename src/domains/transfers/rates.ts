import type { Context } from "../../platform/context.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { DAY_S, type Seconds } from "../../platform/kernel/time.ts";
import * as sql from "./queries.ts";
import { type Currency, DEFAULT_RATES_E8, type Judgement, judgeSample } from "./rules.ts";

/** What one unit is worth, in hundred-millionths of a US dollar, and who says so. */
export interface Rate {
  readonly usd_e8: bigint;
  readonly source: string;
}

/** The currencies whose price a source is asked for. */
export type Sampled = keyof typeof DEFAULT_RATES_E8;

/** An accepted price that the source has not renewed for so long is not used any more. */
export const SAMPLE_AGE_MAX_S = DAY_S;

/** The source of prices is asked every ten minutes, so it pays to come back then and not much sooner. */
const AWAY_RETRY_S = 300;

const BUILT_IN = "static:default";

type Needs = Pick<Context, "read" | "clock" | "settings">;

/** Whether anybody has said what XNO is worth here, or where to ask: on a live network the built-in figure is nobody's. */
export const isPriced = ({ chain, settings: { rates } }: Pick<Context, "chain" | "settings">) =>
  chain?.network !== "live" || rates.source !== "static" || rates.xno_e8 !== null;

/**
 * The rate at which XNO is taken. Rejects with `chain_unavailable` on a live network while the source of
 * prices is away and the operator has set no reference.
 */
export async function takingRate(
  context: Needs & Pick<Context, "chain"> & Rejects<"chain_unavailable">,
): Promise<Rate> {
  const rate = await rateOf(context, "xno");
  if (rate.source !== BUILT_IN || context.chain?.network !== "live") return rate;
  return context.reject(
    "chain_unavailable",
    "Nobody says now what XNO is worth. Nothing was stored; send the same again later.",
    undefined,
    AWAY_RETRY_S,
  );
}

/** The rate of now: the last accepted price, or the operator's reference, or the built-in one. */
export async function rateOf(context: Needs, currency: Sampled): Promise<Rate> {
  const { rates } = context.settings;
  const sampled = rates.source === "static" ? null : await sampledRate(context, currency);
  return sampled ?? reference(context, currency);
}

/** The rate of any currency; null when it has no reference, because a figure without one is invented. */
export async function rateOrNone(context: Needs, currency: Currency): Promise<Rate | null> {
  if (currency === "xno" || currency === "xmr") return rateOf(context, currency);
  const { btc_e8 } = context.settings.rates;
  if (currency === "other" || btc_e8 === null) return null;
  return { usd_e8: btc_e8, source: "static:configured" };
}

async function sampledRate({ read, clock }: Needs, currency: Sampled): Promise<Rate | null> {
  const row = await sql.acceptedRate.first(read, { currency });
  if (row === undefined || row.usd_e8 === null || row.sampled_at === null) return null;
  if (clock.now() - row.sampled_at > SAMPLE_AGE_MAX_S) return null;
  return { usd_e8: BigInt(row.usd_e8), source: `coingecko:${minuteOf(row.sampled_at)}` };
}

const minuteOf = (time: Seconds): string =>
  Temporal.Instant.fromEpochMilliseconds(time * 1_000).toString({ smallestUnit: "minute" });

function reference({ settings }: Pick<Context, "settings">, currency: Sampled): Rate {
  const usd_e8 = settings.rates[`${currency}_e8`];
  return usd_e8 === null
    ? { usd_e8: DEFAULT_RATES_E8[currency], source: BUILT_IN }
    : { usd_e8, source: "static:configured" };
}

/** What a source says that a currency is worth, and since when. */
export interface Sample {
  readonly currency: Sampled;
  readonly usd_e8: bigint;
  readonly sampled_at: Seconds;
}

/** Keeps a sample if it is within bounds; else the last one stays, and the refusal is counted. */
export async function takeSample(
  context: Needs & Pick<Context, "write">,
  { currency, usd_e8, sampled_at }: Sample,
  doubted_e8: bigint | null,
): Promise<Judgement> {
  const { read, write, clock } = context;
  const { usd_e8: last = null } = (await sql.acceptedRate.first(read, { currency })) ?? {};
  const judgement = judgeSample(usd_e8, {
    reference_e8: reference(context, currency).usd_e8,
    last_e8: last === null ? null : BigInt(last),
    doubted_e8,
  });
  const accepted = {
    currency,
    usd_e8: Number(usd_e8),
    sampled_at: Math.min(sampled_at, clock.now()),
  };
  await write((tx) =>
    judgement === "accepted"
      ? sql.acceptRate.run(tx, accepted)
      : sql.refuseRate.run(tx, { currency }),
  );
  return judgement;
}

/** How many samples of the source were out of bounds so far. */
export async function refusedSamples(read: Context["read"]): Promise<number> {
  const rates = await sql.refusedRates.all(read, {});
  return rates.reduce((sum, { refused }) => sum + refused, 0);
}

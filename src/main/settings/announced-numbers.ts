import type { Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import { announce } from "../../platform/ledger/announcements/announce.ts";
import {
  announcedPace,
  announcedRateLimit,
} from "../../platform/ledger/announcements/announcement-queries.ts";
import { ledgerHead } from "../../platform/ledger/queries.ts";
import { operatorKeys } from "../../platform/ledger/seals/keys.ts";
import type { Signer } from "../../platform/ledger/seals/signer.ts";
import type { Configuration } from "./settings.ts";

type Wanted = Pick<Configuration, "rewardsPerHour" | "rateLimitPerMinute">;

/** The number of rewards an hour that was announced last; 0 when there is none. */
export const announcedRewards = async (read: Db): Promise<number> =>
  (await announcedPace.first(read, {}))?.rewards_per_hour ?? 0;

/** The rate limit that was announced last; 0 when there is none. */
export const announcedRate = async (read: Db): Promise<number> =>
  (await announcedRateLimit.first(read, {}))?.rate_limit_per_minute ?? 0;

/** The command that brings a wanted number into force. */
export const paceCommand = (perHour: number): string =>
  `cairn announce --kind limit_added --rewards-per-hour ${perHour} --title TEXT --body TEXT`;

/** The command that announces a rate limit, which is in force already. */
export const rateCommand = (perMinute: number): string =>
  `cairn announce --kind limit_added --rate-limit-per-minute ${perMinute} --title TEXT --body TEXT`;

/** A network at a start: a new one has nothing but its first entry, and nobody has to be warned. */
interface Start {
  readonly context: Context;
  readonly signer: Signer | null;
  readonly isNew: boolean;
}

/**
 * Announces the numbers that the configuration wants where nobody has to be warned before. Resolves
 * to a sentence for each that is left to the operator.
 */
export async function settleNumbers(
  context: Context,
  signer: Signer | null,
  { rewardsPerHour, rateLimitPerMinute }: Wanted,
): Promise<readonly string[]> {
  const isNew = ((await ledgerHead.first(context.read, {}))?.last_id ?? 0) <= 1;
  const start = { context, signer, isNew };
  const left = [
    await settleRewardPace(start, rewardsPerHour),
    await settleRateLimit(start, rateLimitPerMinute),
  ];
  return left.filter((sentence) => sentence !== null);
}

/** Rewards have a number from its announcement on: a new network announces it, and a start that raises or ends it. */
async function settleRewardPace(
  { context, signer, isNew }: Start,
  wanted: number | null,
): Promise<string | null> {
  const announced = await announcedRewards(context.read);
  if (wanted === null || wanted === announced) return null;
  const isLess = announced > 0 && (wanted === 0 || wanted > announced);
  if (!isNew && !isLess)
    return `CAIRN_REWARDS_PER_HOUR is ${wanted}, and what was announced is ${announced || "no number"}, which stays in force. To change it: ${paceCommand(wanted)}`;
  if (signer === null)
    return `CAIRN_REWARDS_PER_HOUR is ${wanted} and not in force: a node that holds the operator's key has to announce it.`;
  await context.write((tx) => announce(tx, context, signer, paceAnnouncement(wanted)));
  return null;
}

/** A rate limit is in force by its setting, on each node by itself; a new network announces it. */
async function settleRateLimit(
  { context, signer, isNew }: Start,
  perMinute: number,
): Promise<string | null> {
  if (perMinute === 0 || perMinute === (await announcedRate(context.read))) return null;
  if (!isNew || signer === null || !(await holdsKey(context.read, signer)))
    return `A rate limit of ${perMinute} requests a minute is in force and was not announced. To announce it: ${rateCommand(perMinute)}`;
  await context.write((tx) => announce(tx, context, signer, rateAnnouncement(perMinute)));
  return null;
}

/** A service with a default limit starts without it, too. */
async function holdsKey(read: Db, signer: Signer): Promise<boolean> {
  const current = (await operatorKeys(read)).at(-1);
  return current !== undefined && signer.keyOf(current.public_key) !== null;
}

const paceAnnouncement = (perHour: number) => ({
  kind: perHour === 0 ? ("rule_change" as const) : ("limit_added" as const),
  title:
    perHour === 0 ? "Rewards have no number an hour" : `At most ${perHour} rewards an hour in all`,
  body:
    perHour === 0
      ? "From now on no number of rewards an hour holds for the whole network."
      : `From now on the whole network grants at most ${perHour} rewards in an hour. An act beyond that is recorded and earns nothing: its answer says network_limit. One fifth is for newcomers.`,
  rewards_per_hour: perHour,
});

const rateAnnouncement = (perMinute: number) => ({
  kind: "limit_added" as const,
  title: `At most ${perMinute} requests a minute`,
  body: `Each node takes at most ${perMinute} requests a minute from an agent. GET /api/v1/limits says how many it takes from a network of callers. More are answered 429 with Retry-After.`,
  rate_limit_per_minute: perMinute,
});

import { COIN_LOCKED, COIN_SUPPLY, toNumber } from "../../../platform/kernel/money.ts";
import { DAY_S, HOUR_S } from "../../../platform/kernel/time.ts";
import { NETWORK_PART, REWARD, REWARDS_PER_DAY_MAX } from "../rules.ts";

/** Numbers of rewards an hour that an operator is asked to choose from; null is none. */
const CHOICES = [null, 3_000, 300] as const;

const HOURS = DAY_S / HOUR_S;
const COINS_EACH = toNumber(REWARD);

/** The consequences of a number, for a network in which strangers register. */
export interface PaceChoice {
  readonly perHour: number | null;
  /** Coins that the agents of one network of callers can earn on its first day at most. */
  readonly firstDay: number;
  /** The same on its 30th day. */
  readonly thirtiethDay: number;
  /** Years that the reward pool lasts at least; null: there is no bound. */
  readonly poolYears: number | null;
}

/** What each choice lets one address earn, with as many registrations an hour as it may make. */
export const paceChoices = (registrationsPerHour: number): readonly PaceChoice[] =>
  CHOICES.map((perHour) => {
    const agents = (registrationsPerHour || Number.POSITIVE_INFINITY) * HOURS;
    const unpaced = (day: number) => agents * day * REWARDS_PER_DAY_MAX * COINS_EACH;
    const paced =
      perHour === null ? Number.POSITIVE_INFINITY : (perHour / NETWORK_PART) * HOURS * COINS_EACH;
    const pool = toNumber(COIN_SUPPLY - COIN_LOCKED);
    return {
      perHour,
      firstDay: Math.floor(Math.min(unpaced(1), paced)),
      thirtiethDay: Math.floor(Math.min(unpaced(30), paced)),
      poolYears: perHour === null ? null : Math.floor(pool / (perHour * HOURS * COINS_EACH) / 365),
    };
  });

/** One line for each choice. */
export const paceLines = (registrationsPerHour: number): string[] =>
  paceChoices(registrationsPerHour).map(({ perHour, firstDay, thirtiethDay, poolYears }) => {
    const name = `${perHour ?? "none"}`.padEnd(5);
    const [first, thirtieth] = [firstDay, thirtiethDay].map((coins) =>
      Number.isFinite(coins) ? coins.toLocaleString("en") : "any number of",
    );
    const earns = `one address earns up to ${first} coins on its first day, ${thirtieth} on its 30th`;
    const lasts =
      poolYears === null ? "the pool has no bound" : `the pool lasts ${poolYears} years at least`;
    return `  ${name}  ${earns}; ${lasts}`;
  });

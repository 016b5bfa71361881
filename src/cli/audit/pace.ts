import type { GrantHour } from "../../domains/coin/grants.ts";
import { hourOf } from "../../domains/coin/grants.ts";
import { isoOf } from "../../platform/kernel/iso-time.ts";
import { HOUR_S } from "../../platform/kernel/time.ts";
import { type Entry, numberIn } from "../../platform/ledger/rows/told.ts";

/** Ten minutes' worth may be taken at once, and processes learn of each other's grants a second later. */
const SLACK = 1.2;
const SLACK_GRANTS = 2;

/** A number of rewards an hour, from the entry on that announced it; 0 is none. */
interface Announced {
  readonly at: number;
  readonly perHour: number;
}

/** The hour in which most rewards were granted. */
export interface MostRewards {
  readonly hour_began_at: number;
  readonly rewards: number;
  /** The number of rewards an hour that held; null when for some of it none did. */
  readonly announced: number | null;
}

/** Compares the rewards of each hour with the number that was announced (I15). */
export function paceFold() {
  const announced: Announced[] = [];
  return {
    add(entry: Entry): void {
      if (entry.kind !== "announcement" || entry.body["rewards_per_hour"] === undefined) return;
      announced.push({ at: entry.at, perHour: numberIn(entry, "rewards_per_hour") });
    },

    /** The hour with the most rewards, and what was announced for it; null before the first reward. */
    most(grants: Iterable<GrantHour>): MostRewards | null {
      let most: MostRewards | null = null;
      for (const { hour, n } of grants)
        if (most === null || n > most.rewards) {
          const number = mostIn(announced, hour);
          const hour_began_at = hour * HOUR_S;
          most = { hour_began_at, rewards: n, announced: Number.isFinite(number) ? number : null };
        }
      return most;
    },

    /** A sentence for each hour with more; a warning and no fault, because no sum depends on it. */
    warnings: (grants: Iterable<GrantHour>): string[] =>
      [...grants].flatMap(({ hour, n }) => {
        const most = mostIn(announced, hour);
        if (n <= most * SLACK + SLACK_GRANTS) return [];
        const began = isoOf(hour * HOUR_S);
        return [`${n} rewards in the hour from ${began}, where ${most} were announced`];
      }),
  };
}

/** The largest number that held at any time of an hour; Infinity when for some of it none did. */
function mostIn(announced: readonly Announced[], hour: number): number {
  let before = Number.POSITIVE_INFINITY;
  let within = 0;
  for (const { at, perHour } of announced) {
    const number = perHour === 0 ? Number.POSITIVE_INFINITY : perHour;
    if (hourOf(at) < hour) before = number;
    if (hourOf(at) === hour) within = Math.max(within, number);
  }
  return Math.max(before, within);
}

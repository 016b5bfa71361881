import type { Charged, Pace } from "../../../platform/context.ts";
import type { SenderNames } from "../../../platform/kernel/contract/operation.ts";
import { HOUR_S, type Seconds } from "../../../platform/kernel/time.ts";
import type { GrantHour } from "../grants.ts";
import { NETWORK_PART, NEWCOMER_SHARE } from "../rules.ts";

/**
 * A bucket holds a seventh of its hour and six sevenths flow in within one, so no sixty minutes ever
 * grant more than the number: ten minutes' worth may be taken at once.
 */
const HELD_PART = 1 / 7;

/** Networks of callers that one process remembers; past that the oldest is forgotten. */
const NETWORKS_MAX = 50_000;

const SHARES = ["newcomers", "others"] as const satisfies readonly Share[];
type Share = Charged["share"];

/** A pace that counts the grants of all processes. */
export interface KeptPace extends Pace {
  /** Takes the number in force and the grants of the hours since the last look. */
  refresh(perHour: number | null, hours: readonly GrantHour[], now: Seconds): void;
  /** The first hour that the next look has to bring. */
  seenFrom(now: Seconds): number;
}

/** What a share of the number holds, and what flows in each second. */
interface Flow {
  readonly held: number;
  readonly perSecond: number;
}

/** At least one grant is held, or a small number would never grant any. */
const flowOf = (perHour: number): Flow => ({
  held: Math.max(1, perHour * HELD_PART),
  perSecond: (perHour * (1 - HELD_PART)) / HOUR_S,
});

const shareOf = (perHour: number, share: Share): number =>
  perHour * (share === "newcomers" ? NEWCOMER_SHARE : 1 - NEWCOMER_SHARE);

/**
 * Two token buckets, of newcomers and of all others. Tokens that do not fit into one flow into the
 * other, so nothing is lost while one share is idle, and neither can take the other's. The grants of
 * all processes come from the ledger with each look, once a second; those of this process since then
 * are counted here. So no handler touches a row that others touch, and processes overdraw by what
 * the others grant within a second, which the next look takes back.
 */
export function paceOf(): KeptPace {
  let number: number | null = null;
  let at = 0;
  const levels: Record<Share, number> = { newcomers: 0, others: 0 };
  const taken: Record<Share, number> = { newcomers: 0, others: 0 };
  let seen = new Map<number, GrantHour>();
  const networks = networkBuckets();

  function refill(perHour: number, now: Seconds): void {
    const passed_s = Math.max(0, now - at);
    at = Math.max(at, now);
    let spare = 0;
    for (const share of SHARES) {
      const { held, perSecond } = flowOf(shareOf(perHour, share));
      const level = levels[share] + passed_s * perSecond;
      levels[share] = Math.min(level, held);
      spare += level - levels[share];
    }
    for (const share of SHARES) {
      const room = flowOf(shareOf(perHour, share)).held - levels[share];
      const flows = Math.min(spare, room);
      levels[share] += flows;
      spare -= flows;
    }
  }

  return {
    perHour: () => number,
    seenFrom: (now) => Math.floor((at === 0 ? now : at) / HOUR_S) - 1,

    refresh(perHour, hours, now) {
      // A process begins with one grant in each share, so that restarts lend nothing.
      if (number === null) Object.assign(levels, { newcomers: 1, others: 1 });
      if (number === null) at = now;
      else {
        refill(number, now);
        for (const { hour, n, newcomers } of hours) {
          const before = seen.get(hour) ?? { n: 0, newcomers: 0 };
          levels.newcomers -= newcomers - before.newcomers;
          levels.others -= n - newcomers - (before.n - before.newcomers);
        }
      }
      Object.assign(taken, { newcomers: 0, others: 0 });
      seen = new Map(hours.map((each) => [each.hour, each]));
      number = perHour;
    },

    allows({ share, sender }, now) {
      if (number === null) return true;
      refill(number, now);
      if (levels[share] - taken[share] < 1) return false;
      return networks.allow(flowsOf(number, share, sender), now);
    },

    charge({ share, sender }, now) {
      if (number === null) return;
      taken[share]++;
      networks.charge(flowsOf(number, share, sender), now);
    },
  };
}

/** A network's bucket: what it is called now and was before, and its flow. */
interface NetworkFlow extends Flow {
  readonly name: string;
  readonly earlier: string | null;
}

/**
 * A network has a twentieth of what its agents may have at most: of the newcomers' share, so that a
 * few hostile networks leave the rest of it to honest newcomers, and of the whole number for others.
 * The /48 above an IPv6 network has four times that.
 */
function flowsOf(perHour: number, share: Share, sender: Charged["sender"]): NetworkFlow[] {
  if (sender === null) return [];
  const whole = share === "newcomers" ? shareOf(perHour, share) : perHour;
  const flow = (level: keyof SenderNames, times: number): NetworkFlow[] => {
    const name = sender[level];
    const earlier = sender.earlier?.[level] ?? null;
    if (name === null) return [];
    const named = (of: string | null) => (of === null ? null : `${share} ${level} ${of}`);
    const part = flowOf((times * whole) / NETWORK_PART);
    return [{ name: `${share} ${level} ${name}`, earlier: named(earlier), ...part }];
  };
  return [...flow("network", 1), ...flow("site", 4)];
}

function networkBuckets() {
  const buckets = new Map<string, { level: number; at: Seconds }>();

  function levelOf({ name, earlier, held, perSecond }: NetworkFlow, now: Seconds): number {
    const bucket = buckets.get(name) ?? (earlier === null ? undefined : buckets.get(earlier));
    if (bucket === undefined) return held;
    return Math.min(held, bucket.level + Math.max(0, now - bucket.at) * perSecond);
  }

  return {
    allow: (flows: readonly NetworkFlow[], now: Seconds): boolean =>
      flows.every((flow) => levelOf(flow, now) >= 1),

    charge(flows: readonly NetworkFlow[], now: Seconds): void {
      for (const flow of flows) {
        const level = levelOf(flow, now) - 1;
        buckets.delete(flow.name);
        if (flow.earlier !== null) buckets.delete(flow.earlier);
        buckets.set(flow.name, { level, at: now });
        const [oldest] = buckets.size > NETWORKS_MAX ? buckets.keys() : [];
        if (oldest !== undefined) buckets.delete(oldest);
      }
    },
  };
}

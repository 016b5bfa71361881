import { fieldsIn } from "../../kernel/contract/entry-kind.ts";
import { COIN_LOCKED, COIN_SUPPLY } from "../../kernel/money.ts";
import * as entries from "../entries.ts";
import { addGrant, type GrantHour, grantOf } from "../grants.ts";
import { postingOf, type SomeEntry, systemAccountOf } from "../postings.ts";
import { dayOf, idsIn, REWARDS_PER_DAY_MAX } from "../rules.ts";

/** The rules of the books that an entry can break, by the numbers of docs/reference/coin.md. */
export type Invariant = "I1" | "I2" | "I3" | "I4" | "I5" | "I6" | "I7" | "I8" | "I9" | "I17";

/** The books as the ledger alone makes them. */
export interface Replay {
  /** Of every account, also of `agents_total`. */
  readonly balances: ReadonlyMap<string, bigint>;
  /** Granted, and neither collected nor expired, by entitlement id. */
  readonly live: ReadonlyMap<number, Grant>;
  /** The granted rewards, by clock hour. */
  readonly grants: ReadonlyMap<number, GrantHour>;
  /** Adds the next entry; resolves to the rules that it breaks. */
  add(entry: SomeEntry): readonly Invariant[];
}

interface Grant {
  readonly agent: string;
  readonly amount: bigint;
}

const GRANT = ["entitlement_id", "agent", "amount_micro"] as const;
const CLAIM = ["agent", "amount_micro", "count", "entitlements"] as const;

/**
 * Rebuilds the books from the entries in their order, as anybody can who reads `/since`: the
 * hourly check compares it with what is stored, and the tests with what is answered.
 */
export function replay(): Replay {
  const balances = new Map<string, bigint>();
  const live = new Map<number, Grant>();
  const perDay = grantsPerDay();
  const grants = new Map<number, GrantHour>();

  const settle = (id: number, agent: string): bigint | null => {
    const grant = live.get(id);
    live.delete(id);
    return grant?.agent === agent ? grant.amount : null;
  };

  /** Whether an entitlement is granted once, and leaves once, for the amount that it was granted for. */
  const follow: Readonly<Record<string, (body: unknown) => readonly Invariant[]>> = {
    coin_reward(sent) {
      const { entitlement_id, agent, amount_micro, granted_at } = fieldsIn(
        entries.coinReward,
        sent,
        ...GRANT,
        "granted_at",
      );
      const isNew = !live.has(entitlement_id);
      live.set(entitlement_id, { agent, amount: BigInt(amount_micro) });
      const isWithinDay = perDay.count(agent, granted_at) <= REWARDS_PER_DAY_MAX;
      return [...broken("I8", isNew), ...broken("I7", isWithinDay)];
    },
    coin_expire(sent) {
      const { entitlement_id, agent, amount_micro } = fieldsIn(entries.coinExpire, sent, ...GRANT);
      return broken("I8", settle(entitlement_id, agent) === BigInt(amount_micro));
    },
    coin_claim(sent) {
      const { agent, amount_micro, count, entitlements } = fieldsIn(
        entries.coinClaim,
        sent,
        ...CLAIM,
      );
      const amounts = idsIn(entitlements).map((id) => settle(id, agent));
      const sum = amounts.reduce<bigint>((total, amount) => total + (amount ?? 0n), 0n);
      const isWhole = amounts.length === count && !amounts.includes(null);
      return broken("I8", isWhole && sum === BigInt(amount_micro));
    },
  };

  function add(entry: SomeEntry): readonly Invariant[] {
    const posting = postingOf(entry);
    if (posting === null) return [];
    const grant = grantOf(entry);
    if (grant !== null) addGrant(grants, grant);
    const { lines } = posting;
    const touched = new Set<string>();
    for (const line of lines) {
      for (const account of new Set([line.account, systemAccountOf(line)])) {
        balances.set(account, (balances.get(account) ?? 0n) + line.amount);
        touched.add(account);
      }
    }
    const sum = lines.reduce((total, { amount }) => total + amount, 0n);
    const isCovered = [...touched].every(
      (account) => account === "issued" || (balances.get(account) ?? 0n) >= 0n,
    );
    for (const account of touched)
      if (account.startsWith("request:") && balances.get(account) === 0n) balances.delete(account);
    const isFixed =
      balances.get("issued") === -COIN_SUPPLY && balances.get("locked") === COIN_LOCKED;
    return [
      ...broken("I2", sum === 0n && lines.length >= 2),
      ...broken("I4", isCovered),
      ...broken("I5", isFixed),
      ...(follow[entry.kind]?.(entry.body) ?? []),
    ];
  }

  return { balances, live, grants, add };
}

const broken = (invariant: Invariant, holds: boolean): readonly Invariant[] =>
  holds ? [] : [invariant];

/**
 * Grants of each agent on the newest days. An entry is never more than moments behind its grant, so one of a
 * day that is forgotten counts as one too many.
 */
function grantsPerDay() {
  const DAYS_KEPT = 3;
  const counts = new Map<number, Map<string, number>>();
  let newest = 0;
  return {
    count(agent: string, granted_at: number): number {
      const day = dayOf(granted_at);
      newest = Math.max(newest, day);
      if (day <= newest - DAYS_KEPT) return Number.POSITIVE_INFINITY;
      const ofDay = counts.get(day) ?? new Map<string, number>();
      counts.set(day, ofDay);
      const n = (ofDay.get(agent) ?? 0) + 1;
      ofDay.set(agent, n);
      for (const old of counts.keys()) if (old <= newest - DAYS_KEPT) counts.delete(old);
      return n;
    },
  };
}

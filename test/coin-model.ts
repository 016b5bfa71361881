import assert from "node:assert/strict";
import { DAY_S, days } from "../src/platform/kernel/time.ts";

/** What an agent has, as the words of the design say it; written without a look at the service's code. */
interface Account {
  balance: number;
  credited: number;
  expired: number;
  /** When each act that is not collected yet was rewarded. */
  readonly live: Map<string, number>;
  /** Every act that was ever done; the first time it earns, or never. */
  readonly acts: Set<string>;
  readonly perDay: Map<number, number>;
}

const REWARD = 100_000;

/** The whole coin in a few lines: amounts in micro-coin, times in seconds. */
export class CoinModel {
  readonly accounts: Account[];
  reserved = 0;
  pool = 50_000_000_000_000;

  constructor(agents: number) {
    this.accounts = Array.from({ length: agents }, () => ({
      balance: 0,
      credited: 0,
      expired: 0,
      live: new Map(),
      acts: new Set(),
      perDay: new Map(),
    }));
  }

  account(agent: number): Account {
    const account = this.accounts[agent];
    assert.ok(account);
    return account;
  }

  earn(agent: number, act: string, now: number): string | null {
    const { acts, live, perDay } = this.account(agent);
    if (acts.has(act)) return "already_rewarded";
    acts.add(act);
    const day = Math.floor(now / DAY_S);
    const n = perDay.get(day) ?? 0;
    if (n === 10) return "daily_limit";
    perDay.set(day, n + 1);
    live.set(act, now);
    this.pool -= REWARD;
    this.reserved += REWARD;
    return null;
  }

  /** The acts that are paid. */
  claim(agent: number, now: number): string[] {
    const account = this.account(agent);
    const acts = this.acts(agent, now, "matured");
    for (const act of acts) account.live.delete(act);
    account.balance += acts.length * REWARD;
    account.credited += acts.length * REWARD;
    this.reserved -= acts.length * REWARD;
    return acts;
  }

  send(from: number, to: number, amount: number): "sent" | "insufficient_balance" {
    const sender = this.account(from);
    if (sender.balance < amount) return "insufficient_balance";
    sender.balance -= amount;
    this.account(to).balance += amount;
    return "sent";
  }

  /** How many expire. */
  expire(now: number): number {
    let count = 0;
    for (const [agent, account] of this.accounts.entries())
      for (const act of this.acts(agent, now, "expired")) {
        account.live.delete(act);
        account.expired += REWARD;
        count++;
      }
    this.reserved -= count * REWARD;
    this.pool += count * REWARD;
    return count;
  }

  /** The uncollected acts of an agent in one state. */
  acts(agent: number, now: number, state: "pending" | "matured" | "expired"): string[] {
    return [...this.account(agent).live].flatMap(([act, granted_at]) => {
      const age = now - granted_at;
      const is = age < days(20) ? "pending" : age < days(40) ? "matured" : "expired";
      return is === state ? [act] : [];
    });
  }
}

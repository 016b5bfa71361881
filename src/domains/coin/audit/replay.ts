import { addGrant, type GrantHour, grantOf } from "../grants.ts";
import { postingOf, type SomeEntry, systemAccountOf } from "../postings.ts";

/** The books as the ledger alone makes them. Whether an entry was allowed is asked of the rules. */
export interface Replay {
  /** Of every account, also of `agents_total`. */
  readonly balances: ReadonlyMap<string, bigint>;
  /** The granted rewards, by clock hour. */
  readonly grants: ReadonlyMap<number, GrantHour>;
  /** Adds the next entry. */
  add(entry: SomeEntry): void;
}

/**
 * Rebuilds the books from the entries in their order, as anybody can who reads `/since`: the
 * hourly check compares it with what is stored, and the tests with what is answered.
 */
export function replay(): Replay {
  const balances = new Map<string, bigint>();
  const grants = new Map<number, GrantHour>();

  function add(entry: SomeEntry): void {
    const posting = postingOf(entry);
    if (posting === null) return;
    const grant = grantOf(entry);
    if (grant !== null) addGrant(grants, grant);
    for (const line of posting.lines)
      for (const account of new Set([line.account, systemAccountOf(line)])) {
        const balance = (balances.get(account) ?? 0n) + line.amount;
        if (balance === 0n && account.startsWith("request:")) balances.delete(account);
        else balances.set(account, balance);
      }
  }

  return { balances, grants, add };
}

/** The accounts below 0: only `issued`, from which all coins come, may be (I4). */
export const overdrawn = (balances: Replay["balances"]): string[] =>
  [...balances].flatMap(([account, balance]) =>
    balance < 0n && account !== "issued" ? [account] : [],
  );

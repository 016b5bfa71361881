import { overdrawn, type Replay, replay } from "../../domains/coin/audit/replay.ts";
import { SYSTEM_ACCOUNTS } from "../../domains/coin/postings.ts";
import { REWARD } from "../../domains/coin/rules.ts";
import { type Counts, countsFold } from "../../domains/counters/audit/counts.ts";
import { type TransferReplay, transferReplay } from "../../domains/transfers/replay.ts";
import { DAY_S } from "../../platform/kernel/time.ts";
import type { Unknown } from "../../platform/ledger/replay.ts";
import { type Entry, textIn } from "../../platform/ledger/rows/told.ts";
import { type Breach, breachesOf, type RulesReplay } from "../../verify/rules.ts";
import { figuresOf, type Market, marketFold } from "./market.ts";
import { type MostRewards, paceFold } from "./pace.ts";

/** The figures at the end of a UTC day. */
export interface Day {
  readonly at: number;
  readonly entries: number;
  readonly agents: number;
  readonly works: number;
  readonly circulating: bigint;
  readonly pending: bigint;
  readonly checked_usd: bigint;
  readonly declared_usd: bigint;
  readonly applications_usd: bigint;
  readonly released_usd: bigint;
  readonly refunded_usd: bigint;
}

/** All figures that follow from the ledger, as of its last entry that was added. */
export interface Books {
  readonly coin: Replay;
  readonly counts: Counts;
  readonly market: Market;
  readonly transfers: TransferReplay;
  /** Sums that do not hold at the last entry. */
  unbalanced(): readonly Breach[];
  /** Hints for the operator: nothing here breaks a rule. */
  warnings(): readonly string[];
  mostRewards(): MostRewards | null;
  /** By agent_id, of those that have one. */
  readonly handles: ReadonlyMap<string, string>;
  lastId(): number;
  lastAt(): number;
  /** The end of each day so far, the last one included. */
  days(): readonly Day[];
  /** Throws on a body that is none of its kind. */
  add(entry: Entry): void;
}

/** The agent that gets a handle, by the kind of the entry. */
const HOLDERS: Readonly<Record<string, (entry: Entry) => string>> = {
  agent: ({ ref }) => ref,
  handle: (entry) => textIn(entry, "agent"),
};

/** Breaches of one sort that are shown; so many are more than a mistake. */
const BREACHES_MAX = 1_000;

/**
 * What entries break. A sum is made without the rules and follows from allowed entries, so it is a second look:
 * where an entry was not allowed, it would say the same again.
 */
export function breachesIn(books: Books, rules: RulesReplay): readonly Breach[] {
  const unknown = rules.unknown();
  const twice = books.transfers.breaches().slice(0, BREACHES_MAX).map(perhapsAllowed(unknown));
  const broken = [...twice, ...breachesOf(rules)];
  if (broken.length > 0 || unknown.opaque_from !== null) return broken;
  return [...books.unbalanced(), ...unequalSums(books, rules.state)].slice(0, BREACHES_MAX);
}

/** Marks a breach by an entry under later rules, which may allow it. */
const perhapsAllowed =
  ({ rules, rules_from }: Unknown) =>
  (breach: Breach): Breach =>
    rules === null || rules_from === null || breach.ledger_id < rules_from
      ? breach
      : { ...breach, later: rules };

const AGENT = "agent:";

function grantedIn(hours: Iterable<{ readonly n: number; readonly amount: number }>) {
  const granted = { n: 0, amount: 0n };
  for (const { n, amount } of hours) {
    granted.n += n;
    granted.amount += BigInt(amount);
  }
  return granted;
}

/**
 * The books are made by the postings that the service makes its own by; the rules have an arithmetic of their own.
 * So a wrong posting is found, which both the service and the books would make. Entries that wait for their places are
 * in the books alone, and then nothing is compared.
 */
function* unequalSums(books: Books, state: RulesReplay["state"]): Generator<Breach> {
  const ledger_id = books.lastId();
  if (state.last.id !== ledger_id) return;
  const differ = (rule: string, booked: unknown, ruled: unknown): Breach[] =>
    booked === ruled
      ? []
      : [{ ledger_id, rule: `${rule} is ${booked} by its postings and ${ruled} by the rules` }];
  const { balances } = books.coin;
  const total = SYSTEM_ACCOUNTS.reduce((sum, name) => sum + (balances.get(name) ?? 0n), 0n);
  yield* differ("I4, the sum of the system accounts", total, 0n);
  yield* differ("I4, reward_pool", balances.get("reward_pool"), state.pool);
  const booked = [...balances.keys()].filter((account) => account.startsWith(AGENT));
  const ruled = [...state.balances.keys()].map((agent) => `${AGENT}${agent}`);
  for (const account of new Set([...booked, ...ruled])) {
    const balance = state.balances.get(account.slice(AGENT.length)) ?? 0n;
    yield* differ(`I4, ${account}`, balances.get(account) ?? 0n, balance);
  }
  const { n, amount } = grantedIn(books.coin.grants.values());
  yield* differ("I4, the number of rewards", n, books.counts.n("coin_reward"));
  yield* differ("I4, the sum of rewards", amount, BigInt(n) * REWARD);
  const unmatched = state.unmatched.values().map(({ amount_raw }) => BigInt(amount_raw));
  const figures = figuresOf(state.orders.values(), unmatched);
  for (const figure of new Set([...books.market.sums.keys(), ...figures.keys()]))
    if (figure !== "offers_open")
      yield* differ(`I12, ${figure}`, books.market.sum(figure), figures.get(figure) ?? 0n);
  for (const [id, { state: stands, balances: of }] of books.market.books) {
    const order = state.orders.get(id);
    yield* differ(`I12, the state of order ${id}`, stands, order?.state);
    yield* differ(`I12, the escrow of order ${id}`, `${of.escrow}`, order?.escrow_raw);
  }
}

/** Books without an entry. */
export function emptyBooks(): Books {
  const coin = replay();
  const counts = countsFold();
  const market = marketFold();
  const pace = paceFold();
  const transfers = transferReplay();
  const days: Day[] = [];
  const handles = new Map<string, string>();
  let last = { id: 0, at: 0 };

  const today = (): Day => ({
    at: last.at,
    entries: last.id,
    agents: counts.n("agent"),
    works: counts.n("repo") + counts.n("repo_commit") + counts.n("app"),
    circulating: coin.balances.get("agents_total") ?? 0n,
    pending: coin.balances.get("reward_reserved") ?? 0n,
    checked_usd: counts.usd.checked,
    declared_usd: counts.usd.declared,
    applications_usd: counts.usd.app,
    released_usd:
      market.sum("fees_usd") + market.sum("payouts_due_usd") + market.sum("payouts_sent_usd"),
    refunded_usd: market.sum("refunds_sent_usd"),
  });

  return {
    coin,
    counts,
    market,
    transfers,
    unbalanced: () =>
      [
        ...overdrawn(coin.balances).map((account) => `I4, ${account} is below 0`),
        ...market.unbalanced().map((id) => `I12, the accounts of order ${id} do not balance`),
      ]
        .slice(0, BREACHES_MAX)
        .map((rule) => ({ ledger_id: last.id, rule })),
    warnings: () => pace.warnings(coin.grants.values()),
    mostRewards: () => pace.most(coin.grants.values()),
    handles,
    lastId: () => last.id,
    lastAt: () => last.at,
    days: () => (last.id === 0 ? [] : [...days, today()]),
    add(entry) {
      const { id, at, kind } = entry;
      if (last.id > 0 && Math.floor(at / DAY_S) > Math.floor(last.at / DAY_S)) days.push(today());
      last = { id, at };
      coin.add(entry);
      market.add(entry);
      const holder = HOLDERS[kind]?.(entry);
      if (holder !== undefined && textIn(entry, "handle") !== "")
        handles.set(holder, textIn(entry, "handle"));
      counts.add(entry);
      transfers.add(entry);
      pace.add(entry);
    },
  };
}

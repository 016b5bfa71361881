import { type Replay, replay } from "../../coin/audit/replay.ts";
import { DAY_S } from "../../kernel/time.ts";
import { type TransferReplay, transferReplay } from "../../transfers/replay.ts";
import type { Breach } from "../../verify/rules.ts";
import { type Counts, countsFold } from "./counts.ts";
import { type Entry, textIn } from "./entry.ts";
import { type Market, marketFold } from "./market.ts";
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
  /** Rules that are broken, as of what is known now. */
  breaches(): readonly Breach[];
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

/** Breaches that are kept; so many are more than a mistake. */
const BREACHES_MAX = 1_000;

/** Books without an entry. */
export function emptyBooks(): Books {
  const [coin, counts, market] = [replay(), countsFold(), marketFold()];
  const pace = paceFold();
  const transfers = transferReplay();
  const breaches: Breach[] = [];
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
    breaches: () => [...breaches, ...transfers.breaches()].slice(0, BREACHES_MAX),
    warnings: () => pace.warnings(coin.grants.values()),
    mostRewards: () => pace.most(coin.grants.values()),
    handles,
    lastId: () => last.id,
    lastAt: () => last.at,
    days: () => (last.id === 0 ? [] : [...days, today()]),
    add(entry) {
      const { id: ledger_id, at, kind, body } = entry;
      if (last.id > 0 && Math.floor(at / DAY_S) > Math.floor(last.at / DAY_S)) days.push(today());
      last = { id: ledger_id, at };
      const broken = coin.add({ kind, body }).map((rule) => `coin ${rule}`);
      for (const rule of [...broken, ...market.add(entry)])
        if (breaches.length < BREACHES_MAX) breaches.push({ ledger_id, rule });
      const holder = HOLDERS[kind]?.(entry);
      if (holder !== undefined && textIn(entry, "handle") !== "")
        handles.set(holder, textIn(entry, "handle"));
      counts.add(entry);
      transfers.add(entry);
      pace.add(entry);
    },
  };
}

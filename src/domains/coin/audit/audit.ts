import type { Db } from "../../../platform/db/engine.ts";
import { entriesAfter, unsequenced } from "../../../platform/ledger/entry-queries.ts";
import type { JobContext } from "../../../platform/ledger/seals/seal.ts";
import { heldByRequests, postingOf, type SomeEntry, SYSTEM_ACCOUNTS } from "../postings.ts";
import { heldSum } from "../queries.ts";
import * as sql from "./queries.ts";
import { overdrawn, type Replay, replay } from "./replay.ts";

/** Few enough that no request waits long behind one slice. */
const SLICE = 250;

/** The rules between the books and the ledger, by the numbers of docs/reference/coin.md. */
type Invariant = "I1" | "I3" | "I4" | "I6" | "I9" | "I17";

/** A rule of the books that does not hold, and the entry or the head at which that was seen. */
export interface Violation {
  readonly invariant: Invariant;
  readonly ledger_id: number;
}

/** Compares the books as they are stored with the ledger that they must follow from. */
export interface CoinAudit {
  /** Checks all that is new, at the first call everything; resolves to what does not hold. */
  run(
    context: Pick<JobContext, "read" | "snapshot" | "yieldToRequests">,
  ): Promise<readonly Violation[]>;
}

/**
 * Replays the ledger entry by entry in its own memory, compares each stored posting on the way, and
 * in the end every stored balance, all in one state of the database.
 */
export function coinAudit(): CoinAudit {
  const books = replay();
  let checked_id = 0;

  /** Resolves to what the next entries break; null when there are none. */
  async function slice(db: Db): Promise<Violation[] | null> {
    const entries = await entriesAfter.all(db, { after_id: checked_id, limit: SLICE });
    const last_id = entries.at(-1)?.ledger_id;
    if (last_id === undefined) return null;
    const stored = await sql.linesBetween.all(db, { after_id: checked_id, to_id: last_id });
    const linesOf = Map.groupBy(stored, ({ ledger_id }) => ledger_id);
    checked_id = last_id;
    return entries.flatMap(({ ledger_id, ...row }) => {
      const entry = parsed(row);
      const lines = (postingOf(entry)?.lines ?? []).map(({ account, amount }) => ({
        account,
        amount: Number(amount),
      }));
      const isPosted = print(lines) === print(linesOf.get(ledger_id) ?? []);
      books.add(entry);
      return isPosted ? [] : [{ invariant: "I9", ledger_id }];
    });
  }

  return {
    async run({ read, snapshot, yieldToRequests }) {
      const found: Violation[] = [];
      // Most of it outside of the snapshot, which is held no longer than the newest entries need.
      for (let next = await slice(read); next !== null; next = await slice(read)) {
        found.push(...next);
        await yieldToRequests();
      }
      await snapshot(async (db) => {
        for (let next = await slice(db); next !== null; next = await slice(db)) found.push(...next);
        for (const invariant of await compare(db, books, yieldToRequests))
          found.push({ invariant, ledger_id: checked_id });
      });
      return found;
    },
  };
}

type Balances = ReadonlyMap<string, bigint>;

const print = (lines: readonly { readonly account: string; readonly amount: number }[]): string =>
  lines.map(({ account, amount }) => `${account} ${amount}`).join("\n");

/** The stored balances at the head against those of the replay. */
async function compare(
  db: Db,
  { balances, grants }: Replay,
  yieldToRequests: () => Promise<void>,
): Promise<readonly Invariant[]> {
  const broken = new Set<Invariant>();
  const system = new Map(
    (await sql.systemRows.all(db, {})).map((row) => [row.account, BigInt(row.balance)]),
  );
  const total = [...system.values()].reduce((sum, balance) => sum + balance, 0n);
  if (total !== 0n) broken.add("I1");
  for (const account of SYSTEM_ACCOUNTS)
    if (system.get(account) !== (balances.get(account) ?? 0n)) broken.add("I3");

  if (overdrawn(balances).length > 0) broken.add("I4");

  // The handlers' rows stand at the last commit: ahead by the entries that have no id yet.
  const ahead = new Map<string, bigint>();
  for (const row of await unsequenced.all(db, {}))
    for (const { account, amount } of postingOf(parsed(row))?.lines ?? [])
      ahead.set(account, (ahead.get(account) ?? 0n) + amount);
  const held = heldByRequests(balances) + heldByRequests(ahead);
  if (BigInt((await heldSum.first(db, {}))?.total ?? 0) !== held) broken.add("I3");
  if (!(await agentsAgree(db, { balances, ahead, yieldToRequests }))) broken.add("I3");

  const hours = await sql.allGrantHours.all(db, {});
  const isKept = ({ hour, ...kept }: (typeof hours)[number]): boolean => {
    const { n, amount, newcomers } = grants.get(hour) ?? {};
    return n === kept.n && amount === kept.amount && newcomers === kept.newcomers;
  };
  if (hours.length !== grants.size || !hours.every(isKept)) broken.add("I17");

  const reserved = (system.get("reward_reserved") ?? 0n) + (ahead.get("reward_reserved") ?? 0n);
  if (BigInt((await sql.liveSum.first(db, {}))?.total ?? 0) !== reserved) broken.add("I6");
  return [...broken];
}

/** Whether each agent's row is the sum of its lines, and no agent with lines lacks its row. */
async function agentsAgree(
  db: Db,
  of: {
    readonly balances: Balances;
    readonly ahead: Balances;
    readonly yieldToRequests: () => Promise<void>;
  },
): Promise<boolean> {
  let total = 0n;
  for (let after = ""; ; ) {
    const rows = await sql.balancesAfter.all(db, { after, limit: SLICE });
    for (const { agent_id, balance } of rows) {
      const account = `agent:${agent_id}`;
      const sum = (of.balances.get(account) ?? 0n) + (of.ahead.get(account) ?? 0n);
      if (sum !== BigInt(balance)) return false;
      total += sum;
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.agent_id;
    await of.yieldToRequests();
  }
  const agents = [...of.ahead].filter(([account]) => account.startsWith("agent:"));
  const expected = agents.reduce(
    (sum, [, amount]) => sum + amount,
    (of.balances.get("agents_total") ?? 0n) - heldByRequests(of.balances),
  );
  return total === expected;
}

/** An entry whose body is stored as JSON text. */
const parsed = ({ kind, body }: { readonly kind: string; readonly body: string }): SomeEntry => ({
  kind,
  body: JSON.parse(body),
});

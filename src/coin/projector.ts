import type { Tx } from "../db/engine.ts";
import type { Projector } from "../ledger/sequence.ts";
import { type Posting, postingOf, SYSTEM_ACCOUNTS, systemAccountOf } from "./postings.ts";
import * as sql from "./queries.ts";

/**
 * Keeps the books at the ledger's head: the lines of every posting, and the five system rows, each
 * changed once per batch. It runs in the sequencing transaction, which holds the head row, so no
 * posting is added twice and no handler ever waits for a system row. The agents' own rows are the
 * handlers': on SQLite both commit together, on PostgreSQL an agent row is ahead of its lines until
 * its entry has an id. With everything sequenced the two agree.
 */
export const coinProjector: Projector = async (tx, entries) => {
  const totals = new Map(SYSTEM_ACCOUNTS.map((account) => [account, 0n]));
  const inserts: Promise<unknown>[] = [];
  for (const entry of entries) {
    const posting = postingOf(entry);
    if (posting === null) continue;
    for (const line of posting.lines) {
      const account = systemAccountOf(line);
      totals.set(account, (totals.get(account) ?? 0n) + line.amount);
    }
    inserts.push(record(tx, entry, posting));
  }
  await Promise.all(inserts);
  const opens = entries.some(({ kind }) => kind === "genesis");
  for (const [account, total] of totals) {
    const amount = Number(total);
    if (opens) await sql.openAccount.run(tx, { account, balance: amount });
    else if (amount !== 0 && (await sql.addToAccount.run(tx, { account, amount })) !== 1)
      throw new Error("A system account is missing.");
  }
};

async function record(
  tx: Tx,
  { kind, ledger_id }: { readonly kind: string; readonly ledger_id: number },
  { lines, agents }: Posting,
): Promise<void> {
  await Promise.all([
    ...lines.map(({ account, amount }, line) =>
      sql.insertLine.run(tx, { ledger_id, line: line + 1, account, amount: Number(amount) }),
    ),
    ...agents.map((agent_id) => sql.insertEntryAgent.run(tx, { agent_id, kind, ledger_id })),
  ]);
}

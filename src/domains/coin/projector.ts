import type { Projector } from "../../platform/ledger/sequencing/sequence.ts";
import { addGrant, type GrantHour, grantOf } from "./grants.ts";
import { postingOf, SYSTEM_ACCOUNTS, systemAccountOf } from "./postings.ts";
import * as sql from "./queries.ts";
import type { CoinTables } from "./tables.ts";

/**
 * Keeps the books at the ledger's head: the lines of every posting, what was granted in each hour,
 * and the five system rows, each changed once per batch. It runs in the sequencing transaction, which holds the head row, so no
 * posting is added twice and no handler ever waits for a system row. The agents' own rows are the
 * handlers': on SQLite both commit together, on PostgreSQL an agent row is ahead of its lines until
 * its entry has an id. With everything sequenced the two agree.
 */
export const coinProjector: Projector = async (tx, entries) => {
  const totals = new Map(SYSTEM_ACCOUNTS.map((account) => [account, 0n]));
  const lines: CoinTables["coin_posting"][] = [];
  const agents: CoinTables["coin_entry_agent"][] = [];
  const hours = new Map<number, GrantHour>();
  for (const entry of entries) {
    const grant = grantOf(entry);
    if (grant !== null) addGrant(hours, grant);
    const posting = postingOf(entry);
    if (posting === null) continue;
    const { kind, ledger_id } = entry;
    posting.lines.forEach((line, i) => {
      const account = systemAccountOf(line);
      totals.set(account, (totals.get(account) ?? 0n) + line.amount);
      const amount = Number(line.amount);
      lines.push({ ledger_id, line: i + 1, account: line.account, amount });
    });
    for (const agent_id of posting.agents) agents.push({ agent_id, kind, ledger_id });
  }
  await Promise.all([sql.insertLines(tx, lines), sql.insertEntryAgents(tx, agents)]);
  await sql.addToHours(tx, [...hours.values()]);
  const amounts = [...totals].map(([account, total]) => ({ account, amount: Number(total) }));
  if (entries.some(({ kind }) => kind === "genesis")) {
    for (const { account, amount } of amounts)
      await sql.openAccount.run(tx, { account, balance: amount });
    return;
  }
  const changed = amounts.filter(({ amount }) => amount !== 0);
  if ((await sql.addToAccounts(tx, changed)) !== changed.length)
    throw new Error("A system account is missing.");
};

import { derived } from "../../../platform/ledger/rows/columns.ts";
import type { RowFold } from "../../../platform/ledger/rows/fold.ts";
import { columns, type Made, numberIn, textIn } from "../../../platform/ledger/rows/told.ts";
import type { GrantHour } from "../grants.ts";
import { postingOf, SYSTEM_ACCOUNTS } from "../postings.ts";
import { dayOf } from "../rules.ts";

/** The tables whose rows no single entry makes. */
export const otherTables = {
  coin_account: derived("account", "balance"),
  coin_balance: derived("agent_id", "balance"),
  coin_posting: derived("ledger_id", "line", "account", "amount"),
  coin_entry_agent: derived("agent_id", "kind", "ledger_id"),
  coin_reward_day: derived("agent_id", "day", "n"),
  coin_grant_hour: derived("hour", "n", "amount", "newcomers"),
} as const;

/** The part of the audit's books that these folds read. */
interface Books {
  readonly coin: {
    readonly balances: ReadonlyMap<string, bigint>;
    readonly grants: ReadonlyMap<number, GrantHour>;
  };
}

const accounts: RowFold<Books> = {
  table: "coin_account",
  stands: "at_head",
  stored: (row) => [String(row["account"]), columns(row, "balance")],
  made: ({ coin }) =>
    new Map(SYSTEM_ACCOUNTS.map((name) => [name, { balance: coin.balances.get(name) ?? 0n }])),
};

const AGENT = "agent:";

/** An agent without coins may have a row or none. */
const balances: RowFold<Books> = {
  table: "coin_balance",
  stands: "at_commit",
  stored: (row) => [String(row["agent_id"]), row["balance"] === 0 ? null : columns(row, "balance")],
  made: ({ coin }) =>
    new Map(
      [...coin.balances]
        .filter(([account, balance]) => account.startsWith(AGENT) && balance !== 0n)
        .map(([account, balance]) => [account.slice(AGENT.length), { balance }]),
    ),
};

const HOUR = ["n", "amount", "newcomers"];

const grantHours: RowFold<Books> = {
  table: "coin_grant_hour",
  stands: "at_head",
  stored: (row) => [`hour ${row["hour"]}`, columns(row, ...HOUR)],
  made: ({ coin }) =>
    new Map(
      [...coin.grants.values()].map(({ hour, ...grants }) => [
        `hour ${hour}`,
        columns(grants, ...HOUR),
      ]),
    ),
};

function postings(): RowFold {
  const rows = new Map<string, Made>();
  return {
    table: "coin_posting",
    stands: "at_head",
    stored: (row) => [`${row["ledger_id"]}/${row["line"]}`, columns(row, "account", "amount")],
    add({ id, kind, body }) {
      const lines = postingOf({ kind, body })?.lines ?? [];
      for (const [i, { account, amount }] of lines.entries())
        rows.set(`${id}/${i + 1}`, { account, amount });
    },
    made: () => rows,
  };
}

/** Whom each entry of the coin concerns. */
function entryAgents(): RowFold {
  const rows = new Map<string, Made>();
  return {
    table: "coin_entry_agent",
    stands: "at_head",
    stored: (row) => [`${row["ledger_id"]} ${row["agent_id"]}`, columns(row, "kind")],
    add({ id, kind, body }) {
      for (const agent of postingOf({ kind, body })?.agents ?? [])
        rows.set(`${id} ${agent}`, { kind });
    },
    made: () => rows,
  };
}

/** Rewards of each agent and UTC day. */
function rewardDays(): RowFold {
  const rows = new Map<string, number>();
  return {
    table: "coin_reward_day",
    stands: "at_commit",
    stored: (row) => [`${row["agent_id"]} day ${row["day"]}`, columns(row, "n")],
    add(entry) {
      if (entry.kind !== "coin_reward") return;
      const name = `${textIn(entry, "agent")} day ${dayOf(numberIn(entry, "granted_at"))}`;
      rows.set(name, (rows.get(name) ?? 0) + 1);
    },
    made: () => new Map([...rows].map(([name, n]) => [name, { n }])),
  };
}

/** The coin's books, and what its rewards are counted in. */
export const coinFolds = (): readonly RowFold[] => [
  accounts,
  balances,
  grantHours,
  postings(),
  entryAgents(),
  rewardDays(),
];

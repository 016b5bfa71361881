import { postingOf, SYSTEM_ACCOUNTS } from "../../../coin/postings.ts";
import { dayOf } from "../../../coin/rules.ts";
import { watchedRows } from "../../../ledger/rows/fold.ts";
import { columns, type Made, near, numberIn, rowName, textIn } from "../../../ledger/rows/told.ts";
import { entryRows, numbered } from "./rows.ts";
import type { DerivedTable } from "./table.ts";

const accounts: DerivedTable = {
  table: "coin_account",
  stands: "at_head",
  stored: (row) => [String(row["account"]), columns(row, "balance")],
  made: ({ coin }) =>
    new Map(SYSTEM_ACCOUNTS.map((name) => [name, { balance: coin.balances.get(name) ?? 0n }])),
};

const AGENT = "agent:";

/** An agent without coins may have a row or none. */
const balances: DerivedTable = {
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

const grantHours: DerivedTable = {
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

function postings(): DerivedTable {
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

/** The columns of an entitlement that its reward seals; its state and its collection come later. */
const GRANT = ["agent_id", "amount", "why", "source", "granted_at", "matures_at", "expires_at"];

interface Entitlement {
  readonly granted: Made;
  readonly state: string;
  readonly coin_claim_id: number | null;
}

function entitlements(): DerivedTable {
  const { rows, watch } = watchedRows<Entitlement>();
  const settle = (id: number, settled: Omit<Entitlement, "granted">): void => {
    const name = rowName("entitlement", id);
    const row = rows.get(name);
    if (row !== undefined) rows.set(name, { ...row, ...settled });
  };
  const madeOf = ({ granted, state, coin_claim_id }: Entitlement): Made => ({
    ...{ ...granted, state, coin_claim_id },
  });
  return {
    table: "coin_entitlement",
    stands: "at_commit",
    stored: (row) => [
      rowName("entitlement", row["id"]),
      columns(row, ...GRANT, "state", "coin_claim_id"),
    ],
    add(entry) {
      const { kind, body } = entry;
      const id = numberIn(entry, "entitlement_id");
      if (kind === "coin_reward") {
        const sealed = { ...body, agent_id: body["agent"], amount: body["amount_micro"] };
        const granted = columns(sealed as Record<string, string | number>, ...GRANT);
        const name = rowName("entitlement", id);
        rows.set(name, { granted, state: "live", coin_claim_id: null });
      }
      if (kind === "coin_expire") settle(id, { state: "expired", coin_claim_id: null });
      if (kind !== "coin_claim") return;
      const coin_claim_id = numberIn(entry, "coin_claim_id");
      for (const each of textIn(entry, "entitlements").split(","))
        settle(Number(each), { state: "credited", coin_claim_id });
    },
    made: () => new Map([...rows].map(([name, row]) => [name, madeOf(row)])),
    row: (name) => {
      const row = rows.get(name);
      return row && madeOf(row);
    },
    watch,
  };
}

function collections(): DerivedTable {
  const { rows, watch } = watchedRows();
  return {
    table: "coin_claim",
    stands: "at_commit",
    stored: (row) => [
      rowName("collection", row["id"]),
      columns(row, "agent_id", "amount", "count", "created_at"),
    ],
    add({ kind, body, at }) {
      if (kind !== "coin_claim") return;
      const { agent: agent_id, amount_micro: amount, count } = body;
      const made: Made = { agent_id, amount, count, created_at: near(at) };
      rows.set(rowName("collection", body["coin_claim_id"]), made);
    },
    made: () => rows,
    row: (name) => rows.get(name),
    watch,
  };
}

const transfers = (): DerivedTable =>
  entryRows({
    table: "coin_transfer",
    kinds: ["coin_transfer"],
    id: numbered("transfer", "transfer_id"),
    columns: { from_agent: "from", to_agent: "to", amount: "amount_micro" },
    hashed: { memo: "memo_sha256" },
    times: ["created_at"],
  });

/** Whom each entry of the coin concerns. */
function entryAgents(): DerivedTable {
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
function rewardDays(): DerivedTable {
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

/** The coin's tables. */
export const coinTables = (): readonly DerivedTable[] => [
  accounts,
  grantHours,
  balances,
  postings(),
  entitlements(),
  collections(),
  transfers(),
  entryAgents(),
  rewardDays(),
];

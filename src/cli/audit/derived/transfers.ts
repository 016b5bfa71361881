import { accountKey } from "../../../chain/account.ts";
import { columns, type Made, type Row, UNSEALED } from "../../../ledger/rows/told.ts";
import { registerName } from "../../../transfers/replay.ts";
import { entryRows } from "./rows.ts";
import type { DerivedTable } from "./table.ts";

/**
 * The register of transfers, both ways: each hash that an entry names has its row. A transfer of XNO
 * that takes its hash may have one more row, that of the block which received it.
 */
function register(): DerivedTable {
  const stored: { readonly name: string; readonly row: Row }[] = [];
  return {
    table: "chain_tx",
    stands: "at_commit",
    rowsFirst: true,
    stored(row) {
      const name = registerName(String(row["key"]));
      stored.push({ name, row });
      return [name, columns(row, "used_by", "checked")];
    },
    made({ transfers }) {
      const made = new Map<string, Made>();
      for (const [name, { used_by, checked }] of transfers.register())
        made.set(name, { used_by, checked });
      const received = new Set<string>();
      for (const { name, row } of stored) {
        const use = String(row["used_by"]);
        if (made.has(name) || name.startsWith("other:") || row["checked"] !== 1) continue;
        if (!transfers.taking.has(use) || received.has(use)) continue;
        received.add(use);
        made.set(name, columns(row, "used_by", "checked"));
      }
      return made;
    },
  };
}

const ownAccounts = (): DerivedTable =>
  entryRows({
    table: "own_account",
    kinds: ["own_account"],
    id: { row: ({ account }) => String(account), entry: ({ body }) => String(body["account"]) },
    columns: { n: "n", role: "role" },
    times: ["since"],
    more: {
      row: ({ key }) => ({ key }),
      entry: ({ body }) => ({ key: accountKey(String(body["account"])) }),
    },
  });

/** Which network's transfers these are, once an entry names it. */
function networks(): DerivedTable {
  const rows = new Map<string, Made>();
  let stored = false;
  return {
    table: "chain_network",
    stands: "at_commit",
    rowsFirst: true,
    stored(row) {
      stored = true;
      return [`network ${row["id"]}`, columns(row, "network")];
    },
    add({ kind, body }) {
      if (kind === "own_account") rows.set("network 1", { network: body["network"] });
    },
    made: () =>
      rows.size === 0 && stored ? new Map([["network 1", { network: UNSEALED }]]) : rows,
  };
}

/** What a transfer was used for, and which accounts are the network's own. */
export const transferTables = (): readonly DerivedTable[] => [
  register(),
  ownAccounts(),
  networks(),
];

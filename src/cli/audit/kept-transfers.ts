import { registerName } from "../../transfers/replay.ts";
import { type KeptTable, type Row, shown } from "./kept.ts";
import { entryRows } from "./kept-rows.ts";

/**
 * The register of transfers, both ways: each hash that an entry names has its row. A transfer of XNO
 * that takes its hash may have one more row, that of the block which received it.
 */
function register(): KeptTable {
  const stored: { readonly name: string; readonly row: Row }[] = [];
  const figures = ({ used_by, checked }: Row) => shown({ used_by, checked });
  return {
    table: "chain_tx",
    stands: "at_commit",
    stored(row) {
      const name = registerName(String(row["key"]));
      stored.push({ name, row });
      return [name, figures(row)];
    },
    made({ transfers }) {
      const made = new Map<string, string>();
      for (const [name, { used_by, checked }] of transfers.register())
        made.set(name, shown({ used_by, checked }));
      const received = new Set<string>();
      for (const { name, row } of stored) {
        const use = String(row["used_by"]);
        if (made.has(name) || name.startsWith("other:") || row["checked"] !== 1) continue;
        if (!transfers.taking.has(use) || received.has(use)) continue;
        received.add(use);
        made.set(name, figures(row));
      }
      return made;
    },
  };
}

const ownAccounts = (): KeptTable =>
  entryRows({
    table: "own_account",
    kind: "own_account",
    id: { row: ({ account }) => String(account), entry: ({ body }) => String(body["account"]) },
    columns: { n: "n", role: "role" },
  });

/** What a transfer was used for, and which accounts are the network's own. */
export const transferTables = (): readonly KeptTable[] => [register(), ownAccounts()];

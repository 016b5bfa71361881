import { derived, local } from "../../platform/ledger/rows/columns.ts";
import type { RowFold } from "../../platform/ledger/rows/fold.ts";
import { columns, type Made, type Row, UNSEALED } from "../../platform/ledger/rows/told.ts";
import { registerName, type TransferReplay } from "./replay.ts";

/** The tables whose rows no single entry makes. */
export const otherTables = {
  chain_tx: derived("key", "used_by", "checked"),
  chain_network: { id: "sealed", network: "sealed" },
  rate: local("currency", "usd_e8", "sampled_at", "refused"),
} as const;

/**
 * The register of transfers, both ways: each hash that an entry names has its row. A transfer of XNO
 * that takes its hash may have one more row, that of the block which received it.
 */
function register(): RowFold<{ readonly transfers: TransferReplay }> {
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

/** Which network's transfers these are, once an entry names it. */
function networks(): RowFold {
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

/** What transfers were used for, and on which network. */
export const transfersFolds = (): readonly RowFold[] => [register(), networks()];

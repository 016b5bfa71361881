import { entriesOfKinds } from "../ledger/entry-queries.ts";
import type { JobContext } from "../ledger/seals/seal.ts";
import * as sql from "./audit-queries.ts";
import { TRANSFER_KINDS, type TransferBreach, transferReplay } from "./replay.ts";

/** Entries that one look passes over: few of them are about transfers. */
const SLICE = 1_000;
const NAMES = 250;
const KINDS = JSON.stringify(TRANSFER_KINDS);

/** Violations that one check reports, at most. */
const BREACHES_MAX = 100;

/** A rule about transfers that does not hold, and the entry that breaks it. */
export type TransferViolation = Pick<TransferBreach, "invariant" | "ledger_id">;

/** Checks that each transfer has one use and goes where it is owed; each violation is reported once. */
export interface TransferAudit {
  run(context: Pick<JobContext, "read" | "yieldToRequests">): Promise<readonly TransferViolation[]>;
}

export function transferAudit(): TransferAudit {
  const replay = transferReplay();
  const reported = new Set<number>();
  let after_id = 0;
  let after_contribution = 0;

  return {
    async run({ read, yieldToRequests }) {
      const { last_id = 0 } = (await sql.ledgerHead.first(read, {})) ?? {};
      while (after_id < last_id) {
        const to_id = Math.min(after_id + SLICE, last_id);
        const range = { kinds: KINDS, after_id, to_id };
        for (const { ledger_id: id, at, kind, body } of await entriesOfKinds.all(read, range))
          replay.add({ id, at, kind, body: JSON.parse(body) });
        after_id = to_id;
        await yieldToRequests();
      }
      for (let isMore = true; isMore; await yieldToRequests()) {
        const page = { after_id: after_contribution, limit: NAMES };
        const rows = await sql.freeNames.all(read, page);
        for (const { txid } of rows) replay.learn(txid);
        after_contribution = rows.at(-1)?.id ?? after_contribution;
        isMore = rows.length === NAMES;
      }
      const found = replay.breaches().filter(({ ledger_id }) => !reported.has(ledger_id));
      for (const { ledger_id } of found) reported.add(ledger_id);
      return found
        .slice(0, BREACHES_MAX)
        .map(({ invariant, ledger_id }) => ({ invariant, ledger_id }));
    },
  };
}

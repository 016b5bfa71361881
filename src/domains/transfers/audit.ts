import type { Db } from "../../platform/db/engine.ts";
import { entriesOfKinds } from "../../platform/ledger/entry-queries.ts";
import type { JobContext } from "../../platform/ledger/seals/seal.ts";
import * as sql from "./audit-queries.ts";
import { TRANSFER_KINDS } from "./ledger.ts";
import {
  registerName,
  type TransferBreach,
  type TransferReplay,
  transferReplay,
} from "./replay.ts";
import { isUseSealed } from "./sealed-use.ts";

/** Entries that one look passes over: few of them are about transfers. */
const SLICE = 1_000;
const NAMES = 250;
const KINDS = JSON.stringify(TRANSFER_KINDS);

/** Violations that one check reports, at most. */
const BREACHES_MAX = 100;

/** A second use of a transfer, and its entry; or a row that no entry bears out. */
export type TransferViolation =
  | Pick<TransferBreach, "invariant" | "ledger_id">
  | { readonly invariant: "I13"; readonly txid: string };

/** Checks that each transfer has one use; each violation is reported once. */
export interface TransferAudit {
  run(context: Pick<JobContext, "read" | "yieldToRequests">): Promise<readonly TransferViolation[]>;
}

export function transferAudit(): TransferAudit {
  const replay = transferReplay();
  const reported = new Set<number>();
  const toldOf = new Set<string>();
  let after_id = 0;
  let after_contribution = 0;

  return {
    async run({ read, yieldToRequests }) {
      const { last_id = 0 } = (await sql.ledgerHead.first(read, {})) ?? {};
      while (after_id < last_id) {
        const to_id = Math.min(after_id + SLICE, last_id);
        const range = { kinds: KINDS, after_id, to_id };
        for (const { ledger_id: id, kind, body } of await entriesOfKinds.all(read, range))
          replay.add({ id, kind, body: JSON.parse(body) });
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
      const edited = (await editedUses(read, replay, yieldToRequests)).filter(
        (txid) => !toldOf.has(txid),
      );
      for (const txid of edited) toldOf.add(txid);
      return [
        ...found.map(({ invariant, ledger_id }) => ({ invariant, ledger_id })),
        ...edited.map((txid) => ({ invariant: "I13" as const, txid })),
      ].slice(0, BREACHES_MAX);
    },
  };
}

/**
 * Keys of the register whose rows differ from their entries, or have gone. The second hash of a transfer of XNO, that
 * of the block which received it, may stand in no entry.
 */
async function editedUses(
  read: Db,
  replay: Pick<TransferReplay, "register" | "taking">,
  yieldToRequests: () => Promise<void>,
): Promise<readonly string[]> {
  const missing = new Map(replay.register());
  const edited: string[] = [];
  let after = "";
  for (let isMore = true; isMore; await yieldToRequests()) {
    const rows = await sql.usesAfter.all(read, { after, limit: SLICE });
    for (const { key, used_by, checked } of rows) {
      const name = registerName(key);
      const made = missing.get(name);
      missing.delete(name);
      const isMade = made?.used_by === used_by && made.checked === checked;
      const isReceive = made === undefined && checked === 1 && replay.taking.has(used_by);
      if (isMade || isReceive || (await isUseSealed(read, { key, used_by }))) continue;
      edited.push(key);
    }
    after = rows.at(-1)?.key ?? after;
    isMore = rows.length === SLICE;
  }
  return [...edited, ...missing.keys()];
}

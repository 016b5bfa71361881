import type { Db } from "../../platform/db/engine.ts";
import { CorruptEntry } from "../../platform/kernel/proof/packed.ts";
import { sealHead } from "../../platform/ledger/queries.ts";
import { originOf } from "../../platform/ledger/seals/epochs.ts";
import { operatorKeys } from "../../platform/ledger/seals/keys.ts";
import { hex, showSeal } from "../../platform/ledger/seals/seals.ts";
import { type EntryRow, streamLedger } from "../../platform/ledger/stream.ts";
import type { ChainHeader, ChainRecord, ChainSource } from "../../verify/shapes.ts";
import { Stop, UNREADABLE } from "../command/stop.ts";

/** The chain that a database holds, entries included. A Stop when it holds none. */
export async function databaseChain(read: Db): Promise<ChainSource> {
  return { header: await databaseHeader(read), records: recordsOf(read) };
}

/** What a database says of its chain. */
export async function databaseHeader(read: Db): Promise<ChainHeader> {
  const origin = await originOf(read);
  if (origin === undefined) throw new Stop(UNREADABLE, "The database holds no ledger.");
  const head = await sealHead.first(read, {});
  return {
    type: "cairn-export",
    version: 1,
    origin,
    keys: await operatorKeys(read),
    entries: true,
    head: head?.last_seal_hash ? { seq: head.last_seq, seal_hash: hex(head.last_seal_hash) } : null,
  };
}

async function* recordsOf(read: Db): AsyncGenerator<ChainRecord> {
  try {
    for await (const row of streamLedger(read)) {
      yield "seal" in row ? { type: "seal", ...showSeal(row.seal) } : entryRecord(row.entry);
    }
  } catch (error) {
    if (error instanceof CorruptEntry) throw new Stop(UNREADABLE, error.message, error);
    throw error;
  }
}

const entryRecord = ({ row_id: _, leaf, body, ...entry }: EntryRow): ChainRecord => ({
  type: "entry",
  ...entry,
  body: JSON.parse(body),
  leaf: hex(leaf),
  text: {},
});

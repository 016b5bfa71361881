import type { Db } from "../db/engine.ts";
import { sealedAfter } from "./entry-queries.ts";
import * as sql from "./queries.ts";
import type { SealRow } from "./seals/seals.ts";

/** Few enough that a page is small whatever its texts. */
const ENTRIES_PAGE = 1_000;
const SEALS_PAGE = 200;

/** A row of the ledger that has its id. */
export interface EntryRow {
  /** The same as the id; it was an order of commits before. */
  readonly row_id: number;
  readonly id: number;
  readonly at: number;
  readonly kind: string;
  readonly ref: string;
  /** RFC 8785 text. */
  readonly body: string;
  readonly entry: string;
  readonly leaf: Uint8Array;
}

type LedgerRow = { readonly entry: EntryRow } | { readonly seal: SealRow };

/** Every entry in the order of the ids, and behind its last entry each seal. */
export async function* streamLedger(read: Db): AsyncGenerator<LedgerRow> {
  const seals = sealsOf(read);
  let next = await seals.next();
  for await (const entry of entriesOf(read)) {
    yield { entry };
    while (!next.done && next.value.to_id <= entry.id) {
      yield { seal: next.value };
      next = await seals.next();
    }
  }
  if (!next.done) yield { seal: next.value };
  for await (const seal of seals) yield { seal };
}

async function* entriesOf(read: Db): AsyncGenerator<EntryRow> {
  for (let after_id = 0; ; ) {
    const rows = await sealedAfter.all(read, { after_id, limit: ENTRIES_PAGE });
    for (const { ledger_id: id, ...rest } of rows) {
      yield { ...rest, row_id: id, id };
      after_id = id;
    }
    if (rows.length < ENTRIES_PAGE) return;
  }
}

async function* sealsOf(read: Db): AsyncGenerator<SealRow> {
  for (let after_seq = 0; ; ) {
    const rows = await sql.sealsAfter.all(read, { after_seq, limit: SEALS_PAGE });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after_seq = last.seq;
  }
}

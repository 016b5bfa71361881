import type { Db, GroupTx, PendingEntry, Plan, Tx } from "./engine.ts";

/** A write whose statements `db` sends, and that counts the rows which it inserts. */
export function txOver({ compiler, all, run }: Db): Tx {
  const entries: PendingEntry[] = [];
  let inserted = 0;
  const count = ({ inserts }: Plan) => {
    if (inserts) inserted++;
  };
  /** Work that is done together counts as one row, however many it inserts. */
  const uncounted: Tx = {
    ...{ compiler, all, run, entries, writable: true, inserted: 0 },
    together: (work, item) => work.one(uncounted, item),
    get standing() {
      return uncounted;
    },
  };
  return {
    ...{ compiler, entries, writable: true, standing: uncounted },
    get inserted() {
      return inserted;
    },
    all(plan, values) {
      count(plan);
      return all(plan, values);
    },
    run(plan, values) {
      count(plan);
      return run(plan, values);
    },
    together(work, item) {
      inserted++;
      return work.one(uncounted, item);
    },
  };
}

/** What the body of a grouped write gets of its transaction: nothing that reads. It is typed as any other. */
export function groupTxOf(tx: Tx): Tx {
  const narrow: GroupTx = {
    entries: tx.entries,
    standing: tx.standing,
    together: tx.together,
    get inserted() {
      return tx.inserted;
    },
  };
  return narrow as Tx;
}

import type { Context } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/engine.ts";
import { entriesOf } from "../../../platform/kernel/contract/entry-kind.ts";
import { ofKindAfter } from "../../../platform/ledger/entry-queries.ts";
import { appPurged } from "../../apps/entries.ts";
import { settledIds } from "../../counters/settled.ts";
import { taskPurged } from "../../tasks/entries.ts";
import * as sql from "./storage-queries.ts";

/** Rows that one write sums. */
const SLICE = 2_000;
const PURGES = { appPurged, taskPurged };

type Needs = Pick<Context, "read" | "write" | "clock"> & {
  /** Awaited between two slices. */
  readonly yieldToRequests: () => Promise<void>;
};

/**
 * A job that sums the bytes of the texts that each agent has stored, so that no write pays for it and
 * no page counts it. A text is counted five minutes after it came. Two nodes at once count nothing
 * twice: a slice moves its mark by compare-and-set.
 */
export function storageSums(): (needs: Needs) => Promise<void> {
  const settled = settledIds<sql.StorageKind>();

  return async (needs) => {
    const lastIds = async () =>
      new Map(await Promise.all(sql.STORAGE_KINDS.map((kind) => newest(needs, kind))));
    for (const [kind, to_id] of (await settled(needs.clock.now(), lastIds)) ?? [])
      await sumThrough(needs, kind, to_id);
    for (const { kind } of Object.values(PURGES)) await takeOff(needs, kind);
  };
}

async function newest(
  { read }: Pick<Needs, "read">,
  kind: sql.StorageKind,
): Promise<[sql.StorageKind, number]> {
  return [kind, (await sql.NEWEST[kind].first(read, {}))?.id ?? 0];
}

const markOf = async ({ read }: Pick<Needs, "read">, name: string): Promise<number> =>
  (await sql.markOf.first(read, { name }))?.through_id ?? 0;

/** Does one slice, unless another node has done it meanwhile. */
const once = (
  { write }: Pick<Needs, "write">,
  mark: { readonly name: string; readonly after_id: number; readonly to_id: number },
  work: (tx: Tx) => Promise<unknown>,
): Promise<void> =>
  write(async (tx) => {
    if ((await sql.moveMark.run(tx, mark)) === 1) await work(tx);
  });

async function sumThrough(needs: Needs, kind: sql.StorageKind, to_id: number): Promise<void> {
  for (let after_id = await markOf(needs, kind); after_id < to_id; ) {
    const slice = { after_id, to_id: Math.min(to_id, after_id + SLICE) };
    await once(needs, { name: kind, ...slice }, (tx) => sql.ADD[kind].run(tx, slice));
    after_id = await markOf(needs, kind);
    await needs.yieldToRequests();
  }
}

const purges = entriesOf(PURGES);

/** Takes off texts that the operator has emptied: the ledger names them. */
async function takeOff(needs: Needs, kind: string): Promise<void> {
  for (;;) {
    const after_id = await markOf(needs, kind);
    const row = await ofKindAfter.withBodies.first(needs.read, { after_id, kind, limit: 1 });
    if (row === undefined) return;
    const [entry] = purges([{ ...row, body: JSON.parse(row.body) }]);
    if (entry === undefined) return;
    await once(needs, { name: kind, after_id, to_id: entry.ledger_id }, (tx) =>
      entry.kind === "app_purged"
        ? sql.purgePage.run(tx, entry.body)
        : sql.purgePayloads.run(tx, entry.body),
    );
  }
}

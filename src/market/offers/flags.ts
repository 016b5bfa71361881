import type { ServiceContext } from "../../context.ts";
import type { Tx } from "../../db/engine.ts";
import { append } from "../../ledger/append.ts";
import { sha256Hex } from "../../ledger/sha256.ts";
import * as entries from "../entries.ts";
import { findOffer } from "./offers.ts";
import * as sql from "./queries.ts";

/** What the operator says of an offer: a rule's id, and words if it likes. */
interface Flagging {
  readonly offer_id: number;
  readonly rule: string;
  readonly reason?: string | undefined;
}

type Writing = Pick<ServiceContext, "read" | "write" | "reject">;

/** Marks an offer, so that nobody can order it. False when it is flagged already. Rejects with `offer_not_found`. */
export async function flagOffer(context: Writing, flagging: Flagging): Promise<boolean> {
  const { offer_id: id, rule: flagged } = flagging;
  await findOffer(context, id);
  return context.write(async (tx) => {
    const changed = await sql.flagOffer.first(tx, { id, flagged });
    return record(tx, entries.offerFlagged, flagging, changed?.n);
  });
}

/** Undoes that, also where the text check did it. False when it is not that rule that it is flagged for. */
export async function unflagOffer(context: Writing, flagging: Flagging): Promise<boolean> {
  const { offer_id: id, rule: flagged } = flagging;
  await findOffer(context, id);
  return context.write(async (tx) => {
    const changed = await sql.unflagOffer.first(tx, { id, flagged });
    return record(tx, entries.offerUnflagged, flagging, changed?.n);
  });
}

async function record(
  tx: Tx,
  kind: typeof entries.offerFlagged | typeof entries.offerUnflagged,
  { offer_id, rule, reason }: Flagging,
  n: number | undefined,
): Promise<boolean> {
  if (n === undefined) return false;
  const reason_sha256 = reason === undefined ? undefined : sha256Hex(reason);
  const ref = append(tx, kind, { offer_id, rule, reason_sha256 }, n);
  if (reason !== undefined)
    await sql.insertNotice.run(tx, { kind: kind.kind, ref, offer: offer_id, reason });
  return true;
}

import type { ServiceContext } from "../../../platform/context.ts";
import { enact } from "../../../platform/ledger/rows/enact.ts";
import { rows } from "../rows.ts";
import { findOffer } from "./offers.ts";

/** What the operator says of an offer: a rule's id, and words if it likes. */
interface Flagging {
  readonly offer_id: number;
  readonly rule: string;
  readonly reason?: string | undefined;
}

type Writing = Pick<ServiceContext, "read" | "write" | "clock" | "reject">;

/** Marks an offer, so that nobody can order it. False when it is flagged already. Rejects with `offer_not_found`. */
export async function flagOffer(context: Writing, flagging: Flagging): Promise<boolean> {
  const { write, clock } = context;
  await findOffer(context, flagging.offer_id);
  const flagged = await write((tx) => enact(tx, rows.offerFlagged, flagging, clock.now()));
  return flagged !== undefined;
}

/** Undoes that, also where the text check did it. False when it is not that rule that it is flagged for. */
export async function unflagOffer(context: Writing, flagging: Flagging): Promise<boolean> {
  const { write, clock } = context;
  await findOffer(context, flagging.offer_id);
  const unflagged = await write((tx) => enact(tx, rows.offerUnflagged, flagging, clock.now()));
  return unflagged !== undefined;
}

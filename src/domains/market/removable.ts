import type { Db, Tx } from "../../platform/db/engine.ts";
import { REMOVED_TEXT } from "../../platform/kernel/text.ts";
import { forgetCapability, learnCapability } from "../identity/directory/capabilities.ts";
import { foldCapability } from "../identity/rules.ts";
import { type Change, type Parts, type Removable, removable } from "../removals/removable.ts";
import * as entries from "./entries.ts";
import * as sql from "./offers/queries.ts";

/** An order that runs, and a dispute about it, are about these words. */
async function keeps(read: Db, { offer_id }: Parts): Promise<string | null> {
  const order = await sql.runningOrderOf.first(read, { offer: Number(offer_id) });
  return order === undefined
    ? null
    : `Order ${order.id} of this offer has not ended. Erase the offer's words when it has.`;
}

/** The market finds the offer no longer by the words of its capability. */
async function follow(tx: Tx, { from, to }: Change): Promise<void> {
  const gone = from["capability_folded"];
  const back = to["capability_folded"];
  if (gone != null) await forgetCapability(tx, gone);
  if (back != null) await learnCapability(tx, back);
}

export const OFFER_TEXTS = {
  offer: removable({
    kind: entries.offer,
    table: "market_offer",
    row: { id: "offer_id" },
    texts: {
      capability: REMOVED_TEXT,
      capability_folded: foldCapability(REMOVED_TEXT),
      title: REMOVED_TEXT,
      description: REMOVED_TEXT,
    },
    follow,
    keeps,
  }),
} as const satisfies Readonly<Record<string, Removable>>;

import type { Db } from "../db/engine.ts";
import { type Parts, REMOVED_TEXT, type Removable, removable } from "../removals/removable.ts";
import * as entries from "./entries.ts";
import * as sql from "./offers/queries.ts";

/** An order that runs, and a dispute about it, are about these words. */
async function keeps(read: Db, { offer_id }: Parts): Promise<string | null> {
  const order = await sql.runningOrderOf.first(read, { offer: Number(offer_id) });
  return order === undefined
    ? null
    : `Order ${order.id} of this offer has not ended. Erase the offer's words when it has.`;
}

export const OFFER_TEXTS = {
  offer: removable({
    kind: entries.offer,
    table: "market_offer",
    row: { id: "offer_id" },
    texts: { capability: REMOVED_TEXT, title: REMOVED_TEXT, description: REMOVED_TEXT },
    keeps,
  }),
} as const satisfies Readonly<Record<string, Removable>>;

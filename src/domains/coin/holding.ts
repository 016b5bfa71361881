import type { Tx } from "../../platform/db/engine.ts";
import { credit } from "./queries.ts";
import { debit } from "./transfer-queries.ts";

/** Takes coins from a balance for something that holds them; false when the balance is lower. */
export const hold = async (
  tx: Tx,
  { agent_id, amount }: { readonly agent_id: string; readonly amount: number },
): Promise<boolean> => (await debit.run(tx, { agent_id, amount })) > 0;

/** Adds coins that were held to a balance. */
export const release = (
  tx: Tx,
  { agent_id, amount }: { readonly agent_id: string; readonly amount: number },
): Promise<number> => credit.run(tx, { agent_id, balance: amount });

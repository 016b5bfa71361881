import type { Context } from "../context.ts";
import type { Db } from "../db/engine.ts";
import type { Rejects } from "../kernel/contract/errors.ts";
import { PROTOCOL_VERSION } from "../kernel/contract/protocol.ts";
import { COIN_LOCKED, COIN_SUPPLY } from "../kernel/money.ts";
import { append } from "./append.ts";
import * as entries from "./entries.ts";
import { entryById } from "./entry-queries.ts";
import { RULES } from "./rules.ts";
import { genesisOf } from "./seals/keys.ts";

/** What the first entry says of the ledger that it begins. */
export interface Genesis {
  readonly origin: string;
  /** The operator's first key, 64 hex characters. */
  readonly pubkey?: string | undefined;
}

/**
 * Writes the first entry of an empty ledger. Of two nodes that start at once one loses on the
 * unique key. Resolves to what the ledger then says, from any writer.
 */
export async function openLedger(
  { read, write }: Pick<Context, "read" | "write">,
  wanted: Genesis,
): Promise<Genesis> {
  const existing = await genesisOf(read);
  if (existing !== undefined) return existing;
  const fields = {
    origin: wanted.origin,
    protocol_version: PROTOCOL_VERSION,
    pubkey: wanted.pubkey,
    coin_total_micro: Number(COIN_SUPPLY),
    coin_locked_micro: Number(COIN_LOCKED),
    coin_reward_pool_micro: Number(COIN_SUPPLY - COIN_LOCKED),
    rules: RULES,
  };
  try {
    await write(async (tx) => append(tx, entries.genesis, fields));
  } catch (error) {
    const won = await genesisOf(read);
    if (won === undefined) throw error;
    return won;
  }
  return wanted;
}

/** The leaf of the first entry, which has its place a moment after the first start: the ledger's name among all. */
export async function ledgerName({ reject }: Rejects<never>, read: Db): Promise<string> {
  const genesis = await entryById.first(read, { ledger_id: 1 });
  if (genesis !== undefined) return genesis.leaf.toHex();
  return reject("storage_unavailable", "The ledger has not begun yet. Try again in a second.");
}

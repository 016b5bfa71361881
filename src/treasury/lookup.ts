import {
  type ChainAdapter,
  ChainInconsistent,
  ChainUnavailable,
  type Lookup,
} from "../chain/adapter.ts";
import type { Context } from "../context.ts";
import { Rejection, reject } from "../kernel/errors.ts";
import type { PublicKey } from "../kernel/nano.ts";
import { isPriced } from "../transfers/rates.ts";
import { LOOKUP_MAX_MS } from "./rules.ts";

/** The account that contributions go to, and who can be asked about it. */
interface ProjectAccount {
  readonly chain: ChainAdapter;
  readonly key: PublicKey;
}

/** Rejects where the operator takes no XNO. */
export function projectAccount(context: Pick<Context, "chain" | "settings">): ProjectAccount {
  const { chain, settings } = context;
  if (chain !== null && settings.projectKey !== null && isPriced(context))
    return { chain, key: settings.projectKey };
  return reject(
    "currency_not_configured",
    "This network takes no XNO. GET /currencies lists what it takes.",
  );
}

const NOTHING_STORED = "Nothing was stored; send the same transaction again later.";

/**
 * Asks the chain about a hash, before anything is written. Rejects unless it is a confirmed
 * transfer to the project's account; then nothing is stored, and the hash stays free.
 */
export async function lookUp(
  { chain, key }: ProjectAccount,
  hash: string,
  agent_id: string,
): Promise<Extract<Lookup, { readonly kind: "credited" }>> {
  const signal = AbortSignal.timeout(LOOKUP_MAX_MS);
  const found = await chain.lookup(hash, key, signal, agent_id).catch(refuseDoubt);
  switch (found.kind) {
    case "credited":
      return found;
    case "not_found":
      return reject(
        "transaction_not_found",
        "The chain does not know this transaction. Look at the hash, or wait until it has spread.",
      );
    case "not_to_account":
      return reject(
        "transaction_not_to_project",
        "This transaction brought nothing to the project's account; `details` says why.",
        [{ field: "reason", problem: found.reason }],
      );
    case "unconfirmed":
      return reject(
        "transaction_unconfirmed",
        `The chain has not confirmed this transaction yet. ${NOTHING_STORED}`,
      );
  }
}

function refuseDoubt(error: unknown): never {
  if (!(error instanceof ChainInconsistent || error instanceof ChainUnavailable)) throw error;
  throw new Rejection(
    "chain_unavailable",
    `No Nano node gave an answer that can be believed. ${NOTHING_STORED}`,
    undefined,
    error instanceof ChainUnavailable ? error.retryAfterS : undefined,
  );
}

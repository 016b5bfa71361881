import {
  type ChainAdapter,
  ChainInconsistent,
  ChainUnavailable,
  type Lookup,
} from "../../platform/chain/adapter.ts";
import type { Context } from "../../platform/context.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import type { PublicKey } from "../../platform/kernel/nano.ts";
import { isPriced } from "../transfers/rates.ts";
import { LOOKUP_MAX_MS } from "./rules.ts";

type Refusal =
  | "currency_not_configured"
  | "transaction_not_found"
  | "transaction_not_to_project"
  | "transaction_unconfirmed"
  | "chain_unavailable";

/** The account that contributions go to, and who can be asked about it. */
interface ProjectAccount extends Rejects<Refusal> {
  readonly chain: ChainAdapter;
  readonly key: PublicKey;
}

/** Rejects where the operator takes no XNO. */
export function projectAccount(
  context: Pick<Context, "chain" | "settings"> & Rejects<Refusal>,
): ProjectAccount {
  const { chain, settings, reject } = context;
  if (chain !== null && settings.projectKey !== null && isPriced(context))
    return { chain, key: settings.projectKey, reject };
  return reject(
    "currency_not_configured",
    "This network takes no XNO. {treasury.currencies} lists what it takes.",
  );
}

const NOTHING_STORED = "Nothing was stored; send the same transaction again later.";

/**
 * Asks the chain about a hash, before anything is written. Rejects unless it is a confirmed
 * transfer to the project's account; then nothing is stored, and the hash stays free.
 */
export async function lookUp(
  { chain, key, reject }: ProjectAccount,
  hash: string,
  agent_id: string,
): Promise<Extract<Lookup, { readonly kind: "credited" }>> {
  const signal = AbortSignal.timeout(LOOKUP_MAX_MS);
  const found = await chain
    .lookup(hash, key, signal, agent_id)
    .catch((error: unknown) => refuseDoubt(reject, error));
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

function refuseDoubt(reject: ProjectAccount["reject"], error: unknown): never {
  if (!(error instanceof ChainInconsistent || error instanceof ChainUnavailable)) throw error;
  return reject(
    "chain_unavailable",
    `No Nano node gave an answer that can be believed. ${NOTHING_STORED}`,
    undefined,
    error instanceof ChainUnavailable ? error.retryAfterS : undefined,
  );
}

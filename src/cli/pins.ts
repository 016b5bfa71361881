import { isPublicKey } from "../kernel/signature.ts";
import type { SigningKey } from "../ledger/signer.ts";
import { firstOrigin } from "./chain-history.ts";
import type { ChainHeader } from "./chain-records.ts";
import type { Pins, Walked } from "./chain-walk.ts";
import { REFUSED, Stop, USAGE } from "./stop.ts";

/** What an operator's command believes before it reads a chain. */
export interface Trusted {
  /** The key of seal 1, given by hand; else what the chain names, which has to lead to `held`. */
  readonly genesisKey: string | undefined;
  /** The key on this machine; null when there is none. */
  readonly held: SigningKey | null;
  /** The configured origin; null when there is none. */
  readonly origin: string | null;
}

/** What the walk is begun with. A Stop when it would be another ledger's. */
export function pinsFor(header: ChainHeader, { genesisKey, held, origin }: Trusted): Pins {
  if (genesisKey !== undefined && !isPublicKey(genesisKey)) {
    throw new Stop(USAGE, "A --key is 64 lower-case hex characters.");
  }
  const named = firstOrigin(header.origin);
  if (origin !== null && origin !== named) {
    throw new Stop(REFUSED, `It is the ledger ${named}; CAIRN_ORIGIN says ${origin}.`);
  }
  const first = genesisKey ?? header.keys[0]?.public_key;
  const keys = [first, held?.pubkey].filter((key) => key !== undefined);
  return { origin: named, keys };
}

/** A sentence about the first fault of a chain; null when it verifies. */
export function faultOf({ findings, faults }: Walked): string | null {
  const [first] = findings;
  if (first === undefined) return null;
  const more = faults > 1 ? `, and ${faults - 1} more` : "";
  return `The chain does not verify: seal ${first.seq}: ${first.reason}${more}.`;
}

/** Refuses a chain that does not verify, or that is not of the key on this machine. */
export function demandVerified(walked: Walked, { held }: Trusted): void {
  const fault = faultOf(walked);
  if (fault !== null) throw new Stop(REFUSED, fault);
  const { state } = walked;
  if (held === null || state.key === null || state.key === held.pubkey) return;
  throw new Stop(
    REFUSED,
    `Its chain is signed with ${state.key}, and the key of this machine is ${held.pubkey}: name the right folder or key file.`,
  );
}

import { currentKey, signerFiles, signerOf } from "../../main/service/operator-key.ts";
import type { Configuration } from "../../main/settings/settings.ts";
import { firstOrigin } from "../../platform/kernel/proof/origin.ts";
import type { Signer } from "../../platform/ledger/seals/signer.ts";
import { unlinkedKeys } from "../../verify/outcome.ts";
import type { ChainHeader } from "../../verify/shapes.ts";
import type { Pins, Walked } from "../../verify/walk.ts";
import { REFUSED, Stop } from "../command/stop.ts";

/** What an operator's command believes before it reads a chain. */
export interface Trusted {
  /** The key of seal 1, given by hand; else what the chain names, if it leads to one of `held`. */
  readonly genesisKey: string | undefined;
  /** The keys on this machine, old ones too; null when there is none. */
  readonly held: Signer | null;
  /** The configured origin; null when there is none. */
  readonly origin: string | null;
}

/** What an operator holds on this machine, and has said. */
export function trustedIn(configuration: Configuration, genesisKey: string | undefined): Trusted {
  const files = signerFiles(configuration);
  const held = currentKey(files) && signerOf(files);
  return { genesisKey, held, origin: configuration.origin };
}

/** What the walk is begun with. A Stop when it would be another ledger's. */
export function pinsFor(header: ChainHeader, { genesisKey, held, origin }: Trusted): Pins {
  const named = namedOrigin(header, origin);
  const first = genesisKey ?? header.keys[0]?.public_key;
  const own = header.keys.map(({ public_key }) => public_key).filter((key) => held?.keyOf(key));
  return { origin: named, keys: first === undefined ? own : [first, ...own] };
}

/**
 * What a chain is begun with that is only to be whole: the keys are those that it names itself. A
 * Stop when it is another ledger's than the configured one; null is for none.
 */
export const ownPins = (header: ChainHeader, origin: string | null): Pins => ({
  origin: namedOrigin(header, origin),
  keys: unlinkedKeys(header),
});

function namedOrigin(header: ChainHeader, origin: string | null): string {
  const named = firstOrigin(header.origin);
  if (origin === null || origin === named) return named;
  throw new Stop(REFUSED, `It is the ledger ${named}; CAIRN_ORIGIN says ${origin}.`);
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
  if (held === null || state.key === null || held.keyOf(state.key) !== null) return;
  throw new Stop(
    REFUSED,
    `Its chain is signed with ${state.key}, which is not a key of this machine: name the right folder or key file.`,
  );
}

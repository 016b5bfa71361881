import { setTimeout } from "node:timers/promises";
import type { Store } from "../../platform/db/engine.ts";
import { openLedger } from "../../platform/ledger/genesis.ts";
import { ledgerHead } from "../../platform/ledger/queries.ts";
import { originOf } from "../../platform/ledger/seals/epochs.ts";
import { genesisOf } from "../../platform/ledger/seals/keys.ts";
import type { Signer } from "../../platform/ledger/seals/signer.ts";
import type { Configuration } from "../settings/settings.ts";
import { currentKey, discardKey, makeKey, signerFiles, signerOf } from "./operator-key.ts";

const GENESIS_ATTEMPTS = 500;
const GENESIS_PAUSE_MS = 10;

/**
 * The origin of the ledger's present epoch and this node's key. A key is made only for a ledger that has no first entry:
 * later a missing key means unsigned seals, never a second key. An origin is fixed at the first
 * start; a configuration that says otherwise is refused with a sentence.
 */
export async function openOrigin(
  configuration: Configuration,
  baseUrl: string,
  store: Store,
): Promise<{ readonly signer: Signer | null; readonly origin: string }> {
  const files = signerFiles(configuration);
  const held = currentKey(files);
  const existing = await genesisOf(store.read);
  const origin = configuration.origin ?? new URL(baseUrl).host;
  if (existing === undefined && origin.includes("+"))
    throw new Error(
      `CAIRN_ORIGIN is ${origin}. It may not contain a "+", because the name of the public log may not.`,
    );
  const made = existing === undefined && held === null ? makeKey(files.keyFile) : null;
  const key = held ?? made;
  const genesis = existing ?? (await openLedger(store, { origin, pubkey: key?.pubkey }));
  await sequenceGenesis(store);
  if (configuration.origin !== null && configuration.origin !== genesis.origin) {
    throw new Error(
      `The ledger's origin is ${genesis.origin}; CAIRN_ORIGIN says ${configuration.origin}. An origin never changes.`,
    );
  }
  const current = (await originOf(store.read)) ?? genesis.origin;
  const signer = key && signerOf(files);
  if (made === null || genesis.pubkey === made.pubkey) return { signer, origin: current };
  discardKey(files); // Another node was first, with a key of its own.
  return { signer: null, origin: current };
}

/** No request is served before the first entry has its id. */
async function sequenceGenesis(store: Store): Promise<void> {
  for (let attempt = 0; attempt < GENESIS_ATTEMPTS; attempt++) {
    const head = await ledgerHead.first(store.read, {});
    if (head !== undefined && head.last_id > 0) return;
    if ((await store.sequence()) === 0) await setTimeout(GENESIS_PAUSE_MS);
  }
  throw new Error("The first entry gets no id. Does this node's clock agree with the database's?");
}

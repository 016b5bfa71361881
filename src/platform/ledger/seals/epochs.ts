import type { Db } from "../../db/engine.ts";
import { fieldsIn } from "../../kernel/contract/entry-kind.ts";
import * as entries from "../entries.ts";
import { entriesOfKind } from "../entry-queries.ts";
import * as sql from "../queries.ts";
import { enactSurely } from "../rows/enact.ts";
import { rows } from "../rows.ts";
import { genesisOf, operatorKeys } from "./keys.ts";
import { type SealingContext, sealEverything } from "./seal.ts";
import { type Signer, type SignerMemory, signatureBy } from "./signer.ts";

/** What a restore admits. */
export interface Loss {
  /** The number of the new epoch, from 2; the ledger began with epoch 1. */
  readonly epoch: number;
  /** A public text. */
  readonly reason: string;
  /** The last signature that this operator's key is known to have given; null when nobody knows. */
  readonly lastSigned: Pick<SignerMemory, "seq" | "seal_hash"> | null;
}

/** The origin line of the next seal: the one of genesis, or of the newest epoch. */
export async function originOf(read: Db): Promise<string | undefined> {
  const restored = await entriesOfKind.all(read, { kind: "ledger_restored" });
  const last = restored.at(-1);
  if (last === undefined) return (await genesisOf(read))?.origin;
  return fieldsIn(entries.ledgerRestored, last.body, "origin").origin;
}

/**
 * Says in the ledger that its end may be lost, and seals that, with all that was not sealed, under
 * an origin of its own: so no number of any origin ever has two seals. `signer` remembers this seal
 * from here on instead of a lost one. Resolves to the new origin.
 */
export async function openEpoch(
  context: Omit<SealingContext, "origin">,
  { epoch, reason, lastSigned }: Loss,
  signer: Signer | null,
): Promise<string> {
  const { read, write, clock } = context;
  const genesis = await genesisOf(read);
  const head = await sql.ledgerHead.first(read, {});
  const seals = await sql.sealHead.first(read, {});
  if (genesis === undefined || head === undefined || seals === undefined) {
    throw new Error("There is no ledger to restore.");
  }
  const origin = `${genesis.origin}#${epoch}`;
  const lost = { lost_after_id: head.last_id, lost_after_seq: seals.last_seq };
  const last = { last_signed_seq: lastSigned?.seq, last_signed_seal: lastSigned?.seal_hash };
  const restored = { epoch, origin, ...lost, ...last, reason };
  await write((tx) => enactSurely(tx, rows.ledgerRestored, restored, clock.now()));
  await sealEverything({ ...context, origin });
  const seq = seals.last_seq + 1;
  const seal = await sql.sealBySeq.first(read, { seq });
  const keys = await operatorKeys(read);
  const allowed = keys.find(({ to_seq }) => to_seq === null || seq <= to_seq);
  const key = allowed && signer?.keyOf(allowed.public_key);
  if (signer && key && seal) {
    const memory = signatureBy(key, seal, clock.now());
    await write((tx) => sql.signSeal.run(tx, memory));
    signer.remember(memory);
  }
  return origin;
}

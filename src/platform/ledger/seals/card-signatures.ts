import * as z from "zod";
import type { Context } from "../../context.ts";
import type { Db } from "../../db/engine.ts";
import { days } from "../../kernel/time.ts";
import * as sql from "./card-queries.ts";
import { operatorKeys } from "./keys.ts";
import type { Signer, SigningKey } from "./signer.ts";

/** Signatures of other cards are kept for so long: those of other versions that still run. */
const KEPT_S = days(30);

/** A JWS in the flattened form without its payload (RFC 7515, 7.2.2; A2A 1.0, 8.4). */
const signature = z.object({
  protected: z.string(),
  signature: z.string(),
  header: z.record(z.string(), z.string()).optional(),
});
const signatures = z.array(signature);

export type CardSignature = z.output<typeof signature>;

/** The current key and those before it, newest first: 64 hex characters each. */
export async function cardKeys(read: Db): Promise<string[]> {
  const keys = await operatorKeys(read);
  return keys.map(({ public_key }) => public_key).reverse();
}

/** The signatures of the card with this hash; none unless the current key has made them. */
export async function cardSignatures(read: Db, card_sha256: string): Promise<CardSignature[]> {
  const row = await sql.cardSignature.first(read, { card_sha256 });
  const [current] = await cardKeys(read);
  return row === undefined || row.pubkey !== current
    ? []
    : signatures.parse(JSON.parse(row.signatures));
}

/** Signs a card that the current key has not signed yet, where this node has that key. */
export async function signCard(
  { read, write, clock }: Pick<Context, "read" | "write" | "clock">,
  signer: Signer | null,
  card_sha256: string,
  sign: (key: SigningKey) => Promise<readonly CardSignature[]>,
): Promise<void> {
  const [current] = await cardKeys(read);
  const key = current === undefined ? null : (signer?.keyOf(current) ?? null);
  if (key === null || (await cardSignatures(read, card_sha256)).length > 0) return;
  const signed = JSON.stringify(await sign(key));
  const signed_at = clock.now();
  await write(async (tx) => {
    await sql.forgetCards.run(tx, { before: signed_at - KEPT_S });
    const made = { pubkey: key.pubkey, signatures: signed, signed_at };
    await sql.keepCard.run(tx, { card_sha256, ...made });
  });
}

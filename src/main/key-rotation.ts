import { type OldKey, rotateKey } from "../ledger/rotation.ts";
import { nextKey, signerFiles, turnKey } from "./operator-key.ts";
import type { Configuration } from "./settings.ts";
import type { World } from "./world.ts";

/**
 * Gives the operator a new key, and keeps the old one beside it: it still signs the seal that
 * contains the rotation. A service that runs finds both by itself, unless it was started without a
 * key. Resolves to what the ledger says now. Throws a sentence.
 */
export async function rotateOperatorKey(
  { context, signer }: Pick<World, "context" | "signer">,
  configuration: Configuration,
  oldKey: OldKey,
) {
  const files = signerFiles(configuration);
  const rotation = await rotateKey(context, signer, { next: nextKey(files), oldKey });
  turnKey(files, rotation.rotation);
  return rotation;
}

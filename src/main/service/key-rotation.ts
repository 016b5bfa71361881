import { type OldKey, rotateKey } from "../../platform/ledger/seals/rotation.ts";
import type { Configuration } from "../settings/settings.ts";
import type { Service } from "./open-service.ts";
import { fileOfKey, nextKey, signerFiles, signerOf, turnKey } from "./operator-key.ts";

/**
 * Gives the operator a new key, and keeps the old one beside it: it still signs the seal that
 * contains the rotation. A service that runs finds both by itself, unless it was started without a
 * key. Resolves to what the ledger says now, to the file that holds the old key, if one does, and to
 * the key that was in the place of the new one where the ledger named another (after a restore from
 * before a rotation). Throws a sentence.
 */
export async function rotateOperatorKey(
  { context, signer }: Pick<Service, "context" | "signer">,
  configuration: Configuration,
  oldKey: OldKey,
) {
  const files = signerFiles(configuration);
  // A node that has lost its key still remembers what it has signed.
  const remembering = signer ?? signerOf(files);
  const rotation = await rotateKey(context, remembering, { next: nextKey(files), oldKey });
  const kept = turnKey(files, rotation.rotation);
  const { old_pubkey } = rotation;
  const oldFile = old_pubkey === undefined ? null : fileOfKey(files, old_pubkey);
  return { rotation, oldFile, unnamed: kept?.pubkey === old_pubkey ? null : kept };
}

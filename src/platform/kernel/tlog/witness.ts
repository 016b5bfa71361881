import { isSame, logNode, type Sha256 } from "../proof/merkle.ts";
import type { SignatureCheck } from "../proof/signature.ts";
import {
  type AddCheckpoint,
  parseAddCheckpoint,
  parseCheckpoint,
  type SignedCheckpoint,
} from "./checkpoint.ts";
import { isSignedBy, type NoteKey } from "./note.ts";
import { isConsistent, type TreeHead } from "./tree.ts";

/** What a witness answers to `add-checkpoint` (c2sp.org/tlog-witness), before it signs anything. */

/** A request that is well-formed. */
export interface WitnessRequest extends AddCheckpoint {
  readonly checkpoint: SignedCheckpoint;
}

/** Reads a request; null when it is malformed, which is 400. */
export function parseWitnessRequest(body: string): WitnessRequest | null {
  const request = parseAddCheckpoint(body);
  const checkpoint = request && parseCheckpoint(request.note);
  return request && checkpoint && { ...request, checkpoint };
}

/** A refusal. */
interface Refused {
  readonly status: 400 | 403 | 404 | 409 | 422;
  readonly body: string;
}

/** The media type of a 409, whose body is the size that the witness has cosigned last. */
export const SIZE_TYPE = "text/x.tlog.size";

/**
 * Whether a witness may cosign; null when it may. `keys` are those of the checkpoint's origin, none for
 * an unknown one; `held` is what it has cosigned last of that log.
 */
export function refusalOf(
  { checkpoint, old_size, proof }: WitnessRequest,
  { keys, held }: { readonly keys: readonly NoteKey[]; readonly held: TreeHead | null },
  check: SignatureCheck & { readonly sha256: Sha256 },
): Refused | null {
  if (keys.length === 0) return { status: 404, body: "unknown log\n" };
  if (!keys.some((key) => isSignedBy(check, key, checkpoint.note)))
    return { status: 403, body: "no valid signature of the log\n" };
  if (old_size > checkpoint.size)
    return { status: 400, body: "the old size is above the new one\n" };
  const size = held?.size ?? 0;
  if (old_size !== size) return { status: 409, body: `${size}\n` };
  const empty = check.sha256(new Uint8Array());
  if (checkpoint.size === 0 && !isSame(checkpoint.root, empty))
    return { status: 422, body: "an empty tree has another root\n" };
  const last = held ?? { size: 0, root: empty };
  return isConsistent(last, checkpoint, proof, logNode(check.sha256))
    ? null
    : { status: 422, body: "the proof does not lead from the old tree to the new one\n" };
}

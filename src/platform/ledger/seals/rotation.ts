import type { Context } from "../../context.ts";
import type { Tx } from "../../db/engine.ts";
import { type Body, fieldsIn } from "../../kernel/contract/entry-kind.ts";
import { keyRotationMessage } from "../../kernel/proof/seal-text.ts";
import { append } from "../append.ts";
import * as entries from "../entries.ts";
import { entriesOfKind, recordedBody } from "../entry-queries.ts";
import { operatorKeys } from "./keys.ts";
import { demandNotBehind, type Signer, type SigningKey } from "./signer.ts";

/** `kept`: the old key vouches for the new one. `lost`: nothing does, and readers must pin it anew. */
export type OldKey = "kept" | "lost";

const ROTATION = ["rotation", "old_pubkey", "new_pubkey", "anchored"] as const;
const rotationIn = (body: unknown) => fieldsIn(entries.keyRotation, body, ...ROTATION);

type Rotation = ReturnType<typeof rotationIn>;

/**
 * Records that `next` follows the operator's current key; the seal with this entry is the last one
 * of the old key (docs/reference/ledger.md). A rotation to `next` that is recorded already is
 * resolved to again, so that one that was cut off can be repeated. Throws a sentence when the last
 * rotation has no seal yet, the old key is not as it is said to be, or the database is behind what
 * this node has signed.
 */
export function rotateKey(
  { write, clock, settings }: Pick<Context, "write" | "clock" | "settings">,
  signer: Signer | null,
  { next, oldKey }: { readonly next: SigningKey; readonly oldKey: OldKey },
): Promise<Rotation> {
  return write(async (tx) => {
    await demandNotBehind(tx, signer);
    const { rotations, last } = await rotationsOf(tx);
    if (last?.new_pubkey === next.pubkey) return last;
    const keys = await operatorKeys(tx);
    const current = keys.at(-1);
    if (last !== undefined && last.new_pubkey !== current?.public_key)
      throw new Error("The last rotation is under no seal yet. Try again in a few minutes.");
    const old = (current && signer?.keyOf(current.public_key)) ?? null;
    demandOld(oldKey, current === undefined ? "none" : old === null ? "missing" : "held");

    const rotation = rotations + 1;
    const signed_at = clock.now();
    const old_pubkey = current?.public_key;
    const facts = { rotation, signed_at, old_pubkey, new_pubkey: next.pubkey };
    const { origin } = settings;
    const message = keyRotationMessage({ origin, ...facts, old_pubkey: old_pubkey ?? null });
    const body: Body<typeof entries.keyRotation.fields> = {
      ...facts,
      signature_old: old?.sign(message),
      signature_new: next.sign(message),
      anchored: old === null ? 0 : 1,
    };
    append(tx, entries.keyRotation, body);
    return rotationIn(body);
  });
}

/** How many rotations there were, and the last one, whether or not it has its id. */
async function rotationsOf(tx: Tx): Promise<{ rotations: number; last: Rotation | undefined }> {
  const placed = await entriesOfKind.all(tx, { kind: entries.keyRotation.kind });
  const waiting = await recordedBody(tx, {
    kind: entries.keyRotation.kind,
    ref: `${placed.length + 1}`,
  });
  const last = waiting ?? placed.at(-1);
  return {
    rotations: placed.length + (waiting === undefined ? 0 : 1),
    last: last && rotationIn(last.body),
  };
}

function demandOld(said: OldKey, found: "none" | "missing" | "held"): void {
  if (said === "kept" && found === "missing")
    throw new Error("The current key is not on this node. If it is lost, say so with --lost.");
  if (said === "lost" && found === "held")
    throw new Error(
      "The current key is on this node, and vouches for the new one: leave out --lost.",
    );
}

import type { ServiceContext } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import { MINUTE_S } from "../../../platform/kernel/time.ts";
import { append } from "../../../platform/ledger/append.ts";
import { recordedBody } from "../../../platform/ledger/entry-queries.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import * as sql from "../doubts/queries.ts";
import * as entries from "../entries.ts";
import { demandReason } from "../orders/operator.ts";
import { forgetFrontiers } from "./queries.ts";

/** Younger doubts mostly settle themselves; the operator sees, and may book, older ones. */
export const DOUBT_SHOWN_AFTER_S = 10 * MINUTE_S;

type Needs = Pick<ServiceContext, "read" | "write" | "clock" | "reject">;

/** The operator's end of a doubt. Rejects with `transaction_not_found` unless there is an open one. */
export async function dismissDoubt(
  context: Needs,
  { txid, reason }: { readonly txid: string; readonly reason: string },
): Promise<void> {
  const { read, write, clock } = context;
  const note = demandReason(context, reason);
  const doubt = await sql.openDoubt.first(read, { hash: txid.toUpperCase() });
  if (doubt === undefined) return refuseNoDoubt(context);
  const { hash, amount_raw } = doubt;
  await write(async (tx) => {
    const made_at = clock.now();
    const closing = { hash, state: "dismissed", closed_at: made_at, note } as const;
    if ((await sql.closeDoubt.run(tx, closing)) !== 1) return refuseNoDoubt(context);
    const fields = { txid: hash, amount_raw: amount_raw ?? undefined, made_at };
    const reason_sha256 = sha256Hex(note);
    append(tx, entries.doubtDismissed, { ...fields, reason_sha256 });
  });
}

/** Whether a doubt lets its transfer rest: an open one does, and one that its entry says was dismissed. */
export async function isAtRest(
  read: Db,
  { hash, state, closed_at }: Pick<sql.Doubt, "hash" | "state" | "closed_at">,
): Promise<boolean> {
  const { kind } = entries.doubtDismissed;
  if (state !== "dismissed") return state === "open";
  return (await recordedBody(read, { kind, ref: `${hash}/${closed_at}` })) !== undefined;
}

/** A doubt whose transfer the operator may book unproven. Rejects with `invalid_state` otherwise. */
export async function bookableDoubt({ read, clock, reject }: Omit<Needs, "write">, hash: string) {
  const doubt = await sql.openDoubt.first(read, { hash });
  const amount_raw = doubt?.amount_raw ?? null;
  const isOld = doubt !== undefined && clock.now() - doubt.first_seen_at > DOUBT_SHOWN_AFTER_S;
  if (isOld && amount_raw !== null) return { ...doubt, amount_raw };
  return reject(
    "invalid_state",
    "Only a transfer that nodes have listed for 10 minutes, with one amount, can be booked unproven.",
  );
}

/** From here on every account is read again from its first block. */
export const rescan = ({ write }: Pick<Needs, "write">): Promise<unknown> =>
  write((tx) => forgetFrontiers.run(tx, {}));

const refuseNoDoubt = ({ reject }: Pick<Needs, "reject">): never =>
  reject("transaction_not_found", "No open doubt has this hash; market due lists them.");

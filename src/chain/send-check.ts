import type { PublicKey } from "../kernel/nano.ts";
import type { SendCheck } from "./adapter.ts";
import { isEpoch } from "./block.ts";
import { confirmed, find, movementOf, type Reader, targetOf } from "./found.ts";

/** A transfer that was to be made. */
export interface WantedSend {
  readonly from: PublicKey;
  readonly to: PublicKey;
  readonly amountRaw: bigint;
}

/** Whether a block is the send that is wanted, and confirmed. */
export async function checkSend(
  reader: Reader,
  hash: string,
  want: WantedSend,
  signal: AbortSignal,
): Promise<SendCheck> {
  const found = await find(reader, hash, signal);
  if (found === null) return { kind: "not_found" };
  const mismatch = (what: Extract<SendCheck, { kind: "mismatch" }>["what"]): SendCheck => ({
    kind: "mismatch",
    what,
  });
  if (isEpoch(found.block)) return mismatch("no_send");
  if (found.account !== want.from) return mismatch("from");
  const { direction, amountRaw, source } = await movementOf(reader, found, signal);
  if (direction !== "out") return mismatch("no_send");
  if (targetOf(found) !== want.to) return mismatch("to");
  if (amountRaw !== want.amountRaw) return mismatch("amount");
  if ((await confirmed(reader, found, signal)) === null) return { kind: "unconfirmed" };
  return {
    kind: "ok",
    proof: source === "balances" ? "send_chain" : "node_reported",
    confirmed: true,
  };
}

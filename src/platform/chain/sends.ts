import type { PublicKey } from "../kernel/nano.ts";
import { accountText } from "./account.ts";
import type { FoundSend } from "./adapter.ts";
import { isEpoch } from "./block.ts";
import { confirmed, find, movementOf, type Reader, targetOf } from "./merged-reports.ts";

/** What a block sends, if it is a confirmed send of one of the accounts. */
export async function findSend(
  reader: Reader,
  hash: string,
  from: readonly PublicKey[],
  signal: AbortSignal,
): Promise<FoundSend> {
  const found = await find(reader, hash, signal);
  if (found === null) return { kind: "not_found", isCertain: await isCertain(reader, signal) };
  if (isEpoch(found.block) || !from.includes(found.account)) return { kind: "no_send" };
  const { direction, amountRaw, source } = await movementOf(reader, found, signal);
  const target = targetOf(found);
  if (direction !== "out" || target === null) return { kind: "no_send" };
  if (amountRaw === null) throw reader.nodes.contradiction("a send of which nobody has the amount");
  if ((await confirmed(reader, found, signal)) === null) return { kind: "unconfirmed" };
  const proof = source === "balances" ? "send_chain" : "node_reported";
  return { kind: "sent", to: accountText(target), amountRaw, proof };
}

/** Whether one of those that answer forgets no block: that others do not know it proves nothing. */
async function isCertain({ nodes }: Reader, signal: AbortSignal): Promise<boolean> {
  const keepers = await nodes.all(
    async (endpoint) => endpoint.keepsAll(),
    (seen) => seen.includes(true),
    signal,
  );
  return keepers.includes(true);
}

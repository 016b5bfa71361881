import type { PublicKey } from "../kernel/nano.ts";
import { accountText } from "./account.ts";
import { ChainInconsistent, type Lookup, type Proof } from "./adapter.ts";
import { receivableExists } from "./answers.ts";
import { isEpoch } from "./block.ts";
import type { Endpoint } from "./endpoint.ts";
import {
  confirmed,
  type Found,
  find,
  type Movement,
  movementOf,
  type Reader,
  sourceOf,
  targetOf,
} from "./found.ts";
import { historyPages, receivablePage, receivedBy } from "./history.ts";
import { shaped } from "./rpc.ts";

/** An account, seen among the accounts that are the service's own. */
export interface Recipient {
  readonly account: PublicKey;
  readonly own: readonly PublicKey[];
}

type Credited = Extract<Lookup, { kind: "credited" }>;

const not = (reason: Extract<Lookup, { kind: "not_to_account" }>["reason"]): Lookup => ({
  kind: "not_to_account",
  reason,
});

/** What a block is to an account; null when no reachable endpoint has the block. */
export async function lookupBlock(
  reader: Reader,
  to: Recipient,
  hash: string,
  signal: AbortSignal,
): Promise<Lookup | null> {
  const found = await find(reader, hash, signal);
  if (found === null) return null;
  if (isEpoch(found.block)) return not("no_value");
  return found.account === to.account
    ? ownBlock(reader, to, found, signal)
    : sentBlock(reader, to, found, signal);
}

/** A block of the account itself counts when it receives. */
async function ownBlock(
  reader: Reader,
  to: Recipient,
  found: Found,
  signal: AbortSignal,
): Promise<Lookup> {
  const movement = await movementOf(reader, found, signal);
  if (movement.direction === "none") return not("no_value");
  if (movement.direction === "out")
    return not(targetOf(found) === to.account ? "self" : "outgoing");
  return receiveBlock(reader, to, { found, movement }, signal);
}

interface Moved {
  readonly found: Found;
  readonly movement: Movement;
}

async function receiveBlock(
  reader: Reader,
  { account, own }: Recipient,
  { found, movement }: Moved,
  signal: AbortSignal,
): Promise<Lookup> {
  const sendHash = sourceOf(found) ?? found.hash;
  const settled = await confirmed(reader, found, signal);
  if (settled === null) return { kind: "unconfirmed", sendHash };
  const send = await find(reader, sendHash, signal);
  if (send !== null && targetOf(send) !== account) {
    throw reader.nodes.contradiction("a receive names a send to another account");
  }
  // Without its send a receive still proves its amount; who sent it is then the node's word.
  const from = send?.account ?? found.sender;
  if (from === null) throw reader.nodes.contradiction("a receive of which nobody has the sender");
  if (from === account) return not("self");
  if (own.includes(from)) return not("internal");
  const credit = (amountRaw: bigint, proof: Proof): Lookup => ({
    kind: "credited",
    sendHash,
    receiveHash: found.hash,
    from: accountText(from),
    amountRaw,
    state: "received",
    proof,
    endpoints: settled.confirmations,
  });
  if (movement.source === "balances" && movement.amountRaw !== null) {
    return credit(movement.amountRaw, "receive_signed");
  }
  // An older receive carries no balance; its send may.
  const sent = send === null ? movement : await movementOf(reader, send, signal);
  const amountRaw = sent.amountRaw ?? movement.amountRaw;
  if (amountRaw === null) throw reader.nodes.contradiction("a receive without an amount");
  return credit(amountRaw, sent.source === "balances" ? "send_chain" : "node_reported");
}

/** Another account's block counts when it sends to the account. */
async function sentBlock(
  reader: Reader,
  to: Recipient,
  found: Found,
  signal: AbortSignal,
): Promise<Lookup> {
  if (targetOf(found) !== to.account) return not("other_account");
  const movement = await movementOf(reader, found, signal);
  // The link of a receive or of a change can look like an account.
  if (movement.direction !== "out" || movement.amountRaw === 0n) return not("no_value");
  if (to.own.includes(found.account)) return not("internal");
  const settled = await confirmed(reader, found, signal);
  if (settled === null) return { kind: "unconfirmed", sendHash: found.hash };
  return (
    (await receivedSend(reader, to, { found: settled, movement }, signal)) ??
    (await pendingSend(reader, to, { found: settled, movement }, signal))
  );
}

/** The confirmed receive that the endpoints name: it proves more than the send. */
async function receivedSend(
  reader: Reader,
  to: Recipient,
  { found, movement }: Moved,
  signal: AbortSignal,
): Promise<Lookup | null> {
  if (found.receiveHash === null) return null;
  const receive = await find(reader, found.receiveHash, signal);
  if (receive === null || receive.confirmations < reader.nodes.quorum) return null;
  if (receive.account !== to.account || sourceOf(receive) !== found.hash) {
    throw reader.nodes.contradiction("the receive of a send names another send");
  }
  const answer = await ownBlock(reader, to, receive, signal);
  const isSame =
    answer.kind === "credited" &&
    (movement.source === "node" || answer.amountRaw === movement.amountRaw);
  if (isSame) return answer;
  throw reader.nodes.contradiction("a send and its receive differ in their amounts");
}

/** A send whose receive is not there, not confirmed yet, or not told by an older node. */
async function pendingSend(
  { nodes }: Reader,
  { account }: Recipient,
  { found, movement }: Moved,
  signal: AbortSignal,
): Promise<Lookup> {
  const fate = await nodes.one((node, limit) => fateOf(node, account, found, limit), signal);
  const amountRaw = movement.amountRaw ?? fate?.amountRaw ?? null;
  if (fate === null || amountRaw === null) {
    throw nodes.contradiction("a send of which nobody has the amount");
  }
  return {
    kind: "credited",
    sendHash: found.hash,
    receiveHash: fate.receiveHash,
    from: accountText(found.account),
    amountRaw,
    state: fate.state,
    proof: movement.source === "balances" ? "send_chain" : "node_reported",
    endpoints: found.confirmations,
  };
}

type Fate = Pick<Credited, "state" | "receiveHash"> & { readonly amountRaw: bigint | null };

/** Whether a confirmed send still waits or was received meanwhile: one of both must be. */
async function fateOf(
  endpoint: Endpoint,
  account: PublicKey,
  { hash, reportedRaw }: Found,
  signal: AbortSignal,
): Promise<Fate> {
  const action = "receivable_exists";
  const answer = await endpoint.call({ action, hash, include_only_confirmed: "true" }, signal);
  if (shaped(receivableExists, answer, action).exists) {
    const isKnown = reportedRaw.size > 0;
    const from = { thresholdRaw: 1n, offset: 0 };
    // Of a send whose predecessor was pruned only this list still has the amount.
    const page = isKnown ? [] : await receivablePage(endpoint, account, from, signal);
    const amountRaw = page.find((entry) => entry.hash === hash)?.amountRaw ?? null;
    return { state: "receivable", receiveHash: null, amountRaw };
  }
  for await (const page of historyPages(endpoint, account, signal)) {
    const receive = page.find((entry) => receivedBy(entry) === hash);
    if (receive === undefined) break; // A moment ago it was not received, so it is among the newest.
    const { hash: receiveHash, amount: amountRaw = null } = receive;
    return { state: "received", receiveHash, amountRaw };
  }
  throw new ChainInconsistent("a confirmed send neither waits nor was received");
}

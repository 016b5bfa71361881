import type { PublicKey } from "../kernel/nano.ts";
import { accountText } from "./account.ts";
import { ChainInconsistent, type Lookup, type Proof } from "./adapter.ts";
import { receivableExists } from "./answers.ts";
import { isEpoch } from "./block.ts";
import type { Endpoint } from "./endpoint.ts";
import { HISTORY_PAGES_MAX, historyPages, receivablePage, receivedBy } from "./history.ts";
import {
  type BlockReports,
  confirmed,
  find,
  type Movement,
  movementOf,
  type Reader,
  saidOf,
  sourceOf,
  targetOf,
} from "./merged-reports.ts";
import { agreed, type Nodes } from "./nodes.ts";
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
  found: BlockReports,
  signal: AbortSignal,
): Promise<Lookup> {
  const movement = await movementOf(reader, found, signal);
  if (movement.direction === "none") return not("no_value");
  if (movement.direction === "out")
    return not(targetOf(found) === to.account ? "self" : "outgoing");
  return receiveBlock(reader, to, { found, movement }, signal);
}

interface Moved {
  readonly found: BlockReports;
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
  // Without its send a receive still proves its amount; who sent it is then the endpoints' word.
  const from = send?.account ?? (await saidOf(reader, found, "sender", signal));
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
  found: BlockReports,
  signal: AbortSignal,
): Promise<Lookup> {
  if (targetOf(found) !== to.account) return not("other_account");
  const movement = await movementOf(reader, found, signal);
  // The link of a receive or of a change can look like an account.
  if (movement.direction !== "out" || movement.amountRaw === 0n) return not("no_value");
  if (to.own.includes(found.account)) return not("internal");
  const settled = await confirmed(reader, found, signal);
  if (settled === null) return { kind: "unconfirmed", sendHash: found.hash };
  const sent = { found: settled, movement };
  const named = settled.reports.find(({ receiveHash }) => receiveHash !== null)?.receiveHash;
  const receive = await receiveOf(reader, to, { found, receiveHash: named ?? null }, signal);
  return (
    (await receivedSend(reader, to, { ...sent, receive }, signal)) ??
    (await pendingSend(reader, to, sent, signal))
  );
}

/** The receive of a send under the hash that an endpoint says it has; null when nobody has it. */
async function receiveOf(
  reader: Reader,
  { account }: Recipient,
  { found, receiveHash }: { readonly found: BlockReports; readonly receiveHash: string | null },
  signal: AbortSignal,
): Promise<BlockReports | null> {
  const receive = receiveHash === null ? null : await find(reader, receiveHash, signal);
  if (receive === null) return null;
  if (receive.account === account && sourceOf(receive) === found.hash) return receive;
  throw reader.nodes.contradiction("the receive of a send names another send");
}

/** A receive proves more than the send, once it is confirmed. */
async function receivedSend(
  reader: Reader,
  to: Recipient,
  { movement, receive }: Moved & { readonly receive: BlockReports | null },
  signal: AbortSignal,
): Promise<Lookup | null> {
  if (receive === null || receive.confirmations < reader.nodes.quorum) return null;
  const answer = await ownBlock(reader, to, receive, signal);
  const isSame =
    answer.kind === "credited" &&
    (movement.source === "node" || answer.amountRaw === movement.amountRaw);
  if (isSame) return answer;
  throw reader.nodes.contradiction("a send and its receive differ in their amounts");
}

/** A send whose receive is missing, unconfirmed, or not reported by an older node. */
async function pendingSend(
  reader: Reader,
  to: Recipient,
  sent: Moved,
  signal: AbortSignal,
): Promise<Lookup> {
  const { nodes } = reader;
  const { found, movement } = sent;
  const fate = await nodes.one((node, limit) => fateOf(node, to.account, found, limit), signal);
  const receiveHash = fate?.receiveHash ?? null;
  const receive = await receiveOf(reader, to, { found, receiveHash }, signal);
  const received = await receivedSend(reader, to, { ...sent, receive }, signal);
  if (received !== null) return received;
  const amountRaw =
    movement.amountRaw ?? (await waitingAmount(nodes, to.account, found.hash, signal));
  if (fate === null || amountRaw === null) {
    throw nodes.contradiction("a send of which nobody has the amount");
  }
  return {
    kind: "credited",
    sendHash: found.hash,
    receiveHash: receive?.hash ?? null,
    from: accountText(found.account),
    amountRaw,
    state: fate.state,
    proof: movement.source === "balances" ? "send_chain" : "node_reported",
    endpoints: found.confirmations,
  };
}

/** Of a send whose predecessor was forgotten the list of what waits may still have the amount. */
async function waitingAmount(
  nodes: Nodes,
  account: PublicKey,
  hash: string,
  signal: AbortSignal,
): Promise<bigint | null> {
  const from = { thresholdRaw: 1n, offset: 0 };
  const answers = await nodes.all(
    async (endpoint, limit) => {
      const page = await receivablePage(endpoint, account, from, limit);
      return page.find((entry) => entry.hash === hash)?.amountRaw ?? null;
    },
    () => false,
    signal,
  );
  return agreed(
    nodes,
    answers.filter((amountRaw) => amountRaw !== null),
    "an amount",
  );
}

/** `receiveHash` is one endpoint's word until the block is looked at. */
type Fate = Pick<Credited, "state" | "receiveHash">;

/** Whether a confirmed send still waits or was received meanwhile: one of both must be. */
async function fateOf(
  endpoint: Endpoint,
  account: PublicKey,
  { hash }: BlockReports,
  signal: AbortSignal,
): Promise<Fate> {
  const action = "receivable_exists";
  const answer = await endpoint.call({ action, hash, include_only_confirmed: "true" }, signal);
  if (shaped(receivableExists, answer, action).exists)
    return { state: "receivable", receiveHash: null };
  let pages = 0;
  for await (const page of historyPages(endpoint, account, signal)) {
    const receive = page.find((entry) => receivedBy(entry) === hash);
    if (receive !== undefined) return { state: "received", receiveHash: receive.hash };
    // A send that is not receivable was received; after so long it needs no proof of the receive.
    if (++pages === HISTORY_PAGES_MAX) return { state: "received", receiveHash: null };
  }
  throw new ChainInconsistent("a confirmed send neither waits nor was received");
}

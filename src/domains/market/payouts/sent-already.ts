import { accountKey, accountText } from "../../../platform/chain/account.ts";
import {
  type ChainAdapter,
  ChainInconsistent,
  ChainUnavailable,
  type Sends,
} from "../../../platform/chain/adapter.ts";
import type { Context } from "../../../platform/context.ts";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import { transferUse } from "../../transfers/queries.ts";
import { transferKey } from "../../transfers/rules.ts";
import { sellerRaw } from "../amounts.ts";
import { addressesSinceRelease } from "../orders/payout-address.ts";
import { escrowKeys, isWanted, PATIENTLY } from "../payments/proof-of-send.ts";
import { type OrderRow, orderById, watches } from "../queries.ts";
import { allDebtLines, numbersOf, type OpenDebt, settlingAmounts } from "./debt-lines.ts";
import { type Range, unsentPayouts } from "./payable-queries.ts";

const READ_MAX_MS = 120_000;
const LOOKS_AT_ONCE = 8;
/** Sends without a matching line that are reported, at most. */
const OTHERS_MAX = 100;

type Needs = Pick<
  Context,
  "read" | "snapshot" | "clock" | "settings" | "chain" | "isProven" | "reject"
>;

/** A payout or a refund that is owed. */
interface Line extends Pick<OrderRow, "escrow_address" | "created_at"> {
  readonly order_id: number;
  readonly what: "payout" | "refund";
  /** The accounts, any of which is right. */
  readonly to: readonly string[];
  /** What of it a transfer may pay: as many as it is the sum of, the oldest first. A payout is one. */
  readonly debts: readonly Pick<OpenDebt, "n" | "amount_raw">[];
}

type Send = Sends["sends"][number];

/** What the chain shows as sent of a line, and the transfer. */
export interface SentLine extends Pick<Line, "order_id"> {
  /** Of a refund: the oldest debt that it pays. Null of a payout. */
  readonly n: number | null;
  /** Of a refund: all that it pays, `1,2`. */
  readonly debts: string | null;
  readonly amount_raw: string;
  readonly txid: string;
  /** `unproven`: a node lists it, and the quorum has not confirmed it yet. */
  readonly state: "sent" | "unproven";
}

/** What the chain says of the lines that are owed. */
export interface SentAlready {
  /** Null when the chain was asked. */
  readonly unasked: "no node is configured" | "no node answers" | null;
  /** False when the accounts have more blocks than are read: a line that is not marked may be sent too. */
  readonly isWhole: boolean;
  readonly lines: readonly SentLine[];
  /** Sends of the same time that are recorded nowhere and fit no line. */
  readonly others: readonly {
    readonly txid: string;
    readonly to: string;
    readonly amount_raw: string;
  }[];
}

/**
 * Reads what the escrow accounts have sent since the oldest order to which a line belongs, and gives each
 * send that nothing has used to one line, the oldest that it fits by receiver and amount. So equal amounts
 * are marked as often as they were sent, and not once more. Of a line with several debts a send pays the
 * oldest ones that it is the sum of; the next one pays of those that are left.
 */
export async function sentAlready(context: Needs, limit: number, page = 1): Promise<SentAlready> {
  const none = { isWhole: false, lines: [], others: [] };
  const { chain } = context;
  if (chain === null) return { ...none, unasked: "no node is configured" };
  const lines = await linesOf(context, { limit, offset: (page - 1) * limit });
  if (lines.length === 0) return { ...none, isWhole: true, unasked: null };
  try {
    const { sends, isWhole } = await sendsSince(context, chain, lines);
    const free = await unusedOf(context, sends);
    const matched = matchesOf(lines, free);
    const taken = new Set(matched.map(({ send }) => send.hash));
    const others = free.filter(({ hash }) => !taken.has(hash)).slice(-OTHERS_MAX);
    return {
      unasked: null,
      isWhole,
      lines: await provenLines(context, chain, matched),
      others: others.map(({ hash, to, amountRaw }) => ({
        txid: hash,
        to,
        amount_raw: String(amountRaw),
      })),
    };
  } catch (error) {
    if (!isSilence(error)) throw error;
    return { ...none, unasked: "no node answers" };
  }
}

const isSilence = (error: unknown): boolean =>
  error instanceof ChainUnavailable || error instanceof ChainInconsistent;

async function linesOf(context: Needs, range: Range): Promise<readonly Line[]> {
  const { read, clock } = context;
  const payouts = await unsentPayouts.all(read, { now: clock.now(), from_id: 1, ...range });
  const lines: Line[] = [];
  for (const { id, seller, base_raw, escrow_address, created_at } of payouts) {
    const to = await addressesSinceRelease(context, { id, seller });
    const debts = [{ n: 1, amount_raw: String(sellerRaw({ base_raw })) }];
    lines.push({ order_id: id, what: "payout", to, debts, escrow_address, created_at });
  }
  const owed = await allDebtLines(context, range);
  for (const { order_id, to, debts } of owed.lines) {
    const order = await orderById.first(read, { id: order_id });
    if (order === undefined) throw new Error("A debt has no order.");
    const { escrow_address, created_at } = order;
    const accounts = to === null ? [] : [to];
    lines.push({ order_id, what: "refund", to: accounts, debts, escrow_address, created_at });
  }
  return lines.sort((a, b) => a.created_at - b.created_at || a.order_id - b.order_id);
}

/** Of every account that an invoice ever named, and of the one in use. */
async function sendsSince(
  { read, settings: { escrowKey } }: Needs,
  chain: ChainAdapter,
  lines: readonly Line[],
): Promise<Sends> {
  const since = Math.min(...lines.map(({ created_at }) => created_at));
  const known = new Map((await watches.all(read, {})).map((row) => [row.account, row.frontier]));
  for (const { escrow_address } of lines)
    if (!known.has(escrow_address)) known.set(escrow_address, null);
  if (escrowKey !== null && !known.has(accountText(escrowKey)))
    known.set(accountText(escrowKey), null);
  const signal = AbortSignal.timeout(READ_MAX_MS);
  const answers: Sends[] = [];
  for (const [account, frontier] of known) {
    const key = accountKey(account);
    if (key !== null) answers.push(await chain.sends(key, { since, known: frontier }, signal));
  }
  return {
    sends: answers.flatMap(({ sends }) => sends),
    isWhole: answers.every(({ isWhole }) => isWhole),
  };
}

async function unusedOf({ read }: Needs, sends: readonly Send[]): Promise<readonly Send[]> {
  const free: Send[] = [];
  for (const send of sends) {
    const use = await transferUse.first(read, { key: transferKey(send.hash) });
    if (use?.checked !== 1) free.push(send);
  }
  return free;
}

interface Match {
  /** With the debts that the send pays. */
  readonly line: Line;
  readonly send: Send;
}

function matchesOf(lines: readonly Line[], free: readonly Send[]): readonly Match[] {
  const left = new Set(free);
  return lines.flatMap((line) => {
    const matches: Match[] = [];
    for (let { debts } = line; ; ) {
      const ways = settlingAmounts(debts);
      const send = left
        .values()
        .find(({ to, amountRaw }) => ways.has(String(amountRaw)) && line.to.includes(to));
      if (send === undefined) return matches;
      left.delete(send);
      const paid = debts.slice(0, ways.get(String(send.amountRaw)));
      matches.push({ line: { ...line, debts: paid }, send });
      debts = debts.slice(paid.length);
    }
  });
}

/** A few at a time, so that none waits longer for its turn than it may take. */
async function provenLines(
  context: Needs,
  chain: ChainAdapter,
  matched: readonly Match[],
): Promise<SentLine[]> {
  const lines: SentLine[] = [];
  for (let from = 0; from < matched.length; from += LOOKS_AT_ONCE) {
    const some = matched.slice(from, from + LOOKS_AT_ONCE);
    lines.push(...(await Promise.all(some.map((match) => proven(context, chain, match)))));
  }
  return lines;
}

async function proven(
  context: Needs,
  chain: ChainAdapter,
  { line, send: { hash, amountRaw } }: Match,
): Promise<SentLine> {
  const { order_id, what, debts, to, escrow_address } = line;
  const from = escrowKeys(context, escrow_address);
  const found = await chain.findSend(hash, from, PATIENTLY).catch((error: unknown) => {
    if (isSilence(error) || error instanceof Rejection) return null;
    throw error;
  });
  const isProven = found !== null && isWanted(found, { to, amounts_raw: [String(amountRaw)] });
  return {
    order_id,
    n: what === "payout" ? null : (debts[0]?.n ?? null),
    debts: what === "payout" ? null : numbersOf(debts),
    amount_raw: String(amountRaw),
    txid: hash,
    state: isProven ? "sent" : "unproven",
  };
}

import { accountKey, accountText } from "../chain/account.ts";
import {
  type ChainAdapter,
  ChainInconsistent,
  ChainUnavailable,
  type Lookup,
} from "../chain/adapter.ts";
import type { Context } from "../context.ts";
import type { Db } from "../db/engine.ts";
import { Rejection } from "../kernel/errors.ts";
import type { PublicKey } from "../kernel/nano.ts";
import { DAY_S, MINUTE_S, type Seconds } from "../kernel/time.ts";
import { keysOf } from "../transfers/contributions.ts";
import { transferUse } from "../transfers/queries.ts";
import { transferKey } from "../transfers/rules.ts";
import { taggedOrder, UNIT_RAW } from "./amounts.ts";
import { receive } from "./payments.ts";
import { lockOrder, orderById, watched, watches } from "./queries.ts";
import { INVOICE_WATCH_S } from "./rules.ts";
import * as sql from "./watch-queries.ts";

const LOOKUPS_AT_ONCE = 8;
const SCAN_MAX_MS = 120_000;

/** How often an account is looked at: while invoices name it, and when none has for long. */
const EVERY_S = { live: 10, dev: 1, idle: 5 * MINUTE_S };

/** By account, what a process has dealt with and still meets in each scan; the tables know the rest. */
export type Handled = Map<string, ReadonlySet<string>>;

type Needs = Pick<Context, "read" | "write" | "clock" | "chain" | "settings">;
type Watching = Needs & { readonly chain: ChainAdapter };

/**
 * One round of the payment watcher: looks at each escrow account whose turn it is. Its cost depends
 * on the transfers that came since the last round, not on how many invoices are open.
 */
export async function watchPayments(context: Needs, handled: Handled): Promise<void> {
  const { chain, settings, read, write, clock } = context;
  if (chain === null || settings.escrowKey === null) return;
  const own = accountText(settings.escrowKey);
  if ((await watched.first(read, { account: own })) === undefined)
    await write((tx) => sql.beginWatch.run(tx, { account: own }));
  for (const { account, invoiced_at, next_at } of await watches.all(read, {})) {
    const now = clock.now();
    if (next_at > now) continue;
    const isBusy =
      now - invoiced_at <= INVOICE_WATCH_S + DAY_S ||
      (await sql.anyUnpaid.first(read, { account })) !== undefined;
    if (!isBusy && account !== own) continue;
    const turn = { account, now, next_at: now + (isBusy ? EVERY_S[chain.network] : EVERY_S.idle) };
    if ((await write((tx) => sql.takeTurn.run(tx, turn))) === 0) continue;
    await scanAccount({ ...context, chain }, account, handled);
  }
}

/**
 * Reads what came to an account and books it. A scan is complete, and noted as such, when all that
 * it found is settled; its start is then the moment up to which everything is known.
 */
export async function scanAccount(
  context: Watching,
  account: string,
  handled: Handled,
): Promise<"complete" | "incomplete"> {
  const { read, write, clock } = context;
  const key = accountKey(account);
  if (key === null) throw new Error("An escrow account is malformed.");
  const scanned_at = clock.now();
  const signal = AbortSignal.timeout(SCAN_MAX_MS);
  const { frontier: from = null, invoiced_at = 0 } = (await watched.first(read, { account })) ?? {};
  const isInvoiced = invoiced_at > 0;
  try {
    const { known, fresh, ...seen } = await look(context, key, {
      from,
      isInvoiced,
      handled,
      signal,
    });
    const doubts = await settleAll(context, key, fresh, signal);
    handled.set(account, known.union(new Set(fresh)).difference(doubts));
    if (doubts.size > 0) return "incomplete";
    await write((tx) => sql.completeScan.run(tx, { account, scanned_at, ...seen }));
    return "complete";
  } catch (error) {
    unlessDoubt(error, signal);
    return "incomplete";
  }
}

interface Scan {
  readonly from: string | null;
  /** Before the first invoice nothing can be owed for what no endpoint tells whole. */
  readonly isInvoiced: boolean;
  readonly handled: Handled;
  readonly signal: AbortSignal;
}

/**
 * All that waits for the account, and what it received since the frontier: the newest received
 * transfer of the last complete scan. To stop at any known one would not be safe, because a wallet
 * receives in an order of its own.
 */
async function look(
  { chain, read }: Watching,
  key: PublicKey,
  { from, isInvoiced, handled, signal }: Scan,
) {
  const before = handled.get(accountText(key));
  const known = new Set<string>();
  const fresh: string[] = [];
  let frontier: string | null = null;
  let unreceived = 0;
  for await (const { hash, amountRaw, state } of chain.incoming(key, UNIT_RAW, signal)) {
    if (state === "received") frontier ??= hash;
    else unreceived++;
    if (state === "received" && hash === from) break;
    if (amountRaw === null && !isInvoiced) continue;
    const isKnown = before?.has(hash) === true || (await isSettled(read, hash));
    if (isKnown) known.add(hash);
    else fresh.push(hash);
  }
  return { known, fresh, frontier: frontier ?? from, unreceived };
}

/** A hash that somebody only declared may still be a payment. */
async function isSettled(read: Db, txid: string): Promise<boolean> {
  const use = await transferUse.first(read, { key: transferKey(txid) });
  return use?.checked === 1 || (await sql.unmatched.first(read, { txid })) !== undefined;
}

/** Resolves to the hashes that got no answer that can be believed. */
async function settleAll(
  context: Watching,
  key: PublicKey,
  hashes: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const doubts = new Set<string>();
  const queue = hashes.values();
  const work = async () => {
    for (const hash of queue) {
      const found = await context.chain
        .lookup(hash, key, signal)
        .catch((error) => unlessDoubt(error, signal));
      if (found === null || found.kind === "unconfirmed" || found.kind === "not_found")
        doubts.add(hash);
      else if (found.kind === "credited") await book(context, found);
    }
  };
  await Promise.all(Array.from({ length: LOOKUPS_AT_ONCE }, work));
  return doubts;
}

/** Nothing is known of a transfer, and it is asked for again; any other error is thrown. */
function unlessDoubt(error: unknown, { aborted }: AbortSignal): null {
  const isDoubt =
    aborted ||
    error instanceof ChainUnavailable ||
    error instanceof ChainInconsistent ||
    (error instanceof Rejection && error.code === "overloaded");
  if (isDoubt) return null;
  throw error;
}

/** The last digits of the amount name the order; what names none waits for the operator. */
async function book(
  { read, write, clock }: Watching,
  found: Extract<Lookup, { readonly kind: "credited" }>,
): Promise<void> {
  const { sendHash: txid, receiveHash, from, amountRaw: amount_raw } = found;
  const id = taggedOrder(amount_raw);
  if (id === null || (await orderById.first(read, { id })) === undefined) {
    const seen = { txid, from_account: from, amount_raw: String(amount_raw) };
    const first_seen_at: Seconds = clock.now();
    await write((tx) => sql.insertUnmatched.run(tx, { ...seen, first_seen_at }));
    return;
  }
  const keys = keysOf(txid, receiveHash);
  const payment = { currency: "xno", txid, keys, amount_raw, from, checked: 1, by: null } as const;
  try {
    await write(async (tx) => {
      const order = await lockOrder.first(tx, { id });
      if (order !== undefined) await receive(tx, order, clock.now(), payment);
    });
  } catch (error) {
    // Another node was faster, or it is a payment that the operator has recorded.
    if (!(error instanceof Rejection && error.code === "already_recorded")) throw error;
  }
}

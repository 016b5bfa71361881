import { accountKey } from "../../../platform/chain/account.ts";
import {
  type ChainAdapter,
  ChainInconsistent,
  ChainUnavailable,
  type Lists,
} from "../../../platform/chain/adapter.ts";
import type { Context } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import type { PublicKey } from "../../../platform/kernel/nano.ts";
import { DAY_S, HOUR_S, type Seconds } from "../../../platform/kernel/time.ts";
import { type Apart, apart } from "../../../platform/ledger/forbidden.ts";
import { isUsed } from "../../transfers/sealed-use.ts";
import { PAYMENT_MIN_RAW } from "../amounts.ts";
import {
  type Incoming,
  namedOrder,
  noteDoubt,
  repeatDoubt,
  UNTOLD_HOLD_S,
} from "../doubts/doubts.ts";
import { closeDoubt, doubtOf, doubtsToTry, freshUntold } from "../doubts/queries.ts";
import { watched } from "../queries.ts";
import type { DoubtWhy } from "../rules.ts";
import { book } from "./booking.ts";
import { isAtRest } from "./doubt-acts.ts";
import * as sql from "./queries.ts";
import { isUnmatched } from "./unmatched.ts";

const LOOKUPS_AT_ONCE = 8;
const SCAN_MAX_MS = 120_000;
/** Doubts that one round tries again. */
const RETRIES_MAX = 8;

/** What a process knows of an account; the tables know the rest. */
interface HandledAccount {
  /** What it has dealt with and still meets in each scan. */
  readonly known: ReadonlySet<string>;
  /** When it reads the whole history again. */
  readonly whole_at: Seconds;
}
export type Handled = Map<string, HandledAccount>;

/**
 * The history is read from its first block when a process starts and once a day: a frontier that somebody has edited
 * hides a payment no longer. Where a whole read fails it is tried again after an hour.
 */
const WHOLE_EVERY_S = DAY_S;
const WHOLE_RETRY_S = HOUR_S;

export type Watching = Pick<Context, "read" | "write" | "clock" | "settings" | "edited"> & {
  readonly chain: ChainAdapter;
};

const NOTHING: ReadonlySet<string> = new Set();

/** One look at one account. */
interface Scan {
  readonly account: string;
  readonly key: PublicKey;
  readonly signal: AbortSignal;
  readonly scanned_at: Seconds;
  readonly each: Apart;
}

/**
 * Reads what came to an account and books it. A scan is complete, and noted as such, when a quorum of
 * nodes has reported its lists and no transfer that names an unpaid order is left: each is booked, known to
 * be nothing, or written down as a doubt. Up to the start of such a scan everything is known. A transfer of which
 * fewer nodes than the quorum tell may be on its way, and keeps scans from being complete for 30 minutes at most.
 * A payment that its rule forbids is a doubt, and the scan ends with it after all others.
 */
export async function scanAccount(
  context: Watching,
  account: string,
  handled: Handled,
): Promise<"complete" | "incomplete"> {
  const key = accountKey(account);
  if (key === null) throw new Error("An escrow account is malformed.");
  const scanned_at = context.clock.now();
  const each = apart();
  const scan = { account, key, signal: AbortSignal.timeout(SCAN_MAX_MS), scanned_at, each };
  const end = await readAccount(context, scan, handled);
  each.end();
  return end;
}

async function readAccount(
  context: Watching,
  scan: Scan,
  handled: Handled,
): Promise<"complete" | "incomplete"> {
  const { read, write, chain } = context;
  const { account, key, scanned_at } = scan;
  const { frontier = null, invoiced_at = 0 } = (await watched.first(read, { account })) ?? {};
  const { known: seen = NOTHING, whole_at = 0 } = handled.get(account) ?? {};
  const isWhole = scanned_at >= whole_at;
  if (isWhole) handled.set(account, { known: seen, whole_at: scanned_at + WHOLE_RETRY_S });
  const request = { thresholdRaw: PAYMENT_MIN_RAW, history: { until: isWhole ? null : frontier } };
  const lists = await chain.lists(key, request, scan.signal).catch(unlessUnheard);
  if (lists === null) {
    await forgetInvented(context, scan, frontier);
    return "incomplete";
  }
  await retryDoubts(context, scan);

  // Before the first invoice nothing can be owed for a transfer of unknown amount.
  const asked = lists.entries.filter(({ amounts }) => amounts.length > 0 || invoiced_at > 0);
  const known = new Set<string>();
  const fresh: Incoming[] = [];
  for (const entry of asked) {
    const isKnown = seen.has(entry.hash) || (await isSettled(context, account, entry.hash));
    if (isKnown) known.add(entry.hash);
    else fresh.push(entry);
  }
  const { left, invented } = await settleAll(context, scan, fresh);
  // An invented transfer may still come true.
  for (const { hash } of fresh) if (!left.has(hash) && !invented.has(hash)) known.add(hash);
  handled.set(account, { known, whole_at: isWhole ? scanned_at + WHOLE_EVERY_S : whole_at });
  for (const entry of left.values()) {
    const isUnknown = entry.amounts.length === 0;
    if (isUnknown || (await namedOrder(read, entry)) !== null) return "incomplete";
  }
  const fresh_after = scanned_at - UNTOLD_HOLD_S;
  if ((await freshUntold.first(read, { account, fresh_after })) !== undefined) return "incomplete";
  const unreceived = lists.entries.filter(({ state }) => state === "receivable").length;
  const newest = (await frontierOf(context, scan, lists, left)) ?? frontier;
  const ahead = scanned_at + sql.AHEAD_MAX_S;
  const scanned = { account, scanned_at, ahead, unreceived, frontier: newest };
  await write((tx) => sql.completeScan.run(tx, scanned));
  return "complete";
}

/** Own blocks that are looked at for one that is real; each other one has cost its inventor a day. */
const FRONTIERS_MAX = 5;

/**
 * The newest own block behind which nothing is left to look at; null when there is none yet. It proves itself by its
 * signature, however few nodes show it: those that cannot show it have invented it, and are named.
 */
async function frontierOf(
  { chain }: Watching,
  { key, signal }: Scan,
  { blocks }: Lists,
  left: ReadonlyMap<string, unknown>,
): Promise<string | null> {
  const oldest = blocks.findLastIndex(({ received }) => received !== null && left.has(received));
  for (const block of blocks.slice(oldest + 1, oldest + 1 + FRONTIERS_MAX)) {
    if (await chain.isOwnBlock(block.hash, key, signal)) return block.hash;
    await chain.question(block, key, signal);
  }
  return null;
}

/** A frontier that nobody can show was invented: from then on no honest history reaches back to it. */
async function forgetInvented(
  { chain, write }: Watching,
  { account, key, signal }: Scan,
  frontier: string | null,
): Promise<void> {
  if (frontier === null || signal.aborted) return;
  const isOwn = await chain.isOwnBlock(frontier, key, signal).catch(unlessUnheard);
  if (isOwn === false) await write((tx) => sql.forgetFrontier.run(tx, { account, frontier }));
}

/** A hash that somebody only declared may still be a payment. A doubt has its own time to be tried. */
async function isSettled(context: Watching, account: string, hash: string): Promise<boolean> {
  const { read } = context;
  if (await isUsed(context, hash)) return true;
  if (await isUnmatched(read, hash)) return true;
  const doubt = await doubtOf.first(read, { account, hash });
  return doubt !== undefined && (await isAtRest(read, doubt));
}

/** What a look at fresh transfers came to. */
interface Looked {
  /** There was no time for these, or no room for one more doubt. */
  readonly left: ReadonlyMap<string, Incoming>;
  /** Nobody who tells of these can show them. */
  readonly invented: ReadonlySet<string>;
}

/**
 * Looks each transfer up, those that name an unpaid order first, then the largest, as far as the time
 * goes.
 */
async function settleAll(
  context: Watching,
  scan: Scan,
  fresh: readonly Incoming[],
): Promise<Looked> {
  const left = new Map(fresh.map((entry) => [entry.hash, entry]));
  const invented = new Set<string>();
  const queue = (await inOrder(context.read, fresh)).values();
  const work = async () => {
    for (const entry of queue) {
      if (scan.signal.aborted) return;
      const why = await tryOne(context, scan, entry.hash);
      if (why === "unheard") return;
      const told = why === "unknown" ? await believed(context, scan, entry) : entry;
      if (told === null) invented.add(entry.hash);
      if (why === null || told === null) left.delete(entry.hash);
      else if (await noteDoubt(context, scan.account, told, why)) left.delete(entry.hash);
    }
  };
  await Promise.all(Array.from({ length: LOOKUPS_AT_ONCE }, work));
  return { left, invented };
}

/** The transfer with those of its tellers that can show it, or may have forgotten it; null when there are none. */
async function believed(
  { chain }: Watching,
  { key, signal }: Scan,
  entry: Incoming,
): Promise<Incoming | null> {
  const tellers = await chain.question(entry, key, signal);
  return tellers.length === 0 ? null : { ...entry, tellers };
}

/** The largest amount that a node reports. */
const most = ({ amounts }: Incoming): bigint =>
  amounts.toSorted((a, b) => (a < b ? 1 : -1))[0] ?? 0n;

async function inOrder(read: Db, fresh: readonly Incoming[]): Promise<readonly Incoming[]> {
  const named = new Set<Incoming>();
  for (const entry of fresh)
    if (entry.amounts.length === 0 || (await namedOrder(read, entry)) !== null) named.add(entry);
  return fresh.toSorted(
    (a, b) => Number(named.has(b)) - Number(named.has(a)) || (most(a) < most(b) ? 1 : -1),
  );
}

/** Tries the doubts whose turn it is; what is proven or is nothing after all is settled. */
async function retryDoubts(context: Watching, scan: Scan): Promise<void> {
  const { read, write, clock } = context;
  const { account } = scan;
  const due = { account, now: clock.now(), limit: RETRIES_MAX };
  for (const doubt of await doubtsToTry.all(read, due)) {
    const why = await tryOne(context, scan, doubt.hash);
    if (why === "unheard") return;
    const { hash } = doubt;
    const closing = { hash, state: "settled", closed_at: clock.now(), note: null } as const;
    if (why !== null) await repeatDoubt(context, doubt, why);
    else await write((tx) => closeDoubt.run(tx, closing));
  }
}

/** Null when the transfer is booked or is nothing; else why it could not be proven. */
async function tryOne(
  context: Watching,
  { key, signal, each }: Scan,
  hash: string,
): Promise<DoubtWhy | "unheard" | null> {
  try {
    const found = await context.chain.lookup(hash, key, signal);
    if (found.kind === "credited") {
      const booked = await each.attempt(() => book(context, found));
      return booked === undefined ? "contradicted" : booked;
    }
    if (found.kind === "not_to_account") return null;
    return found.kind === "unconfirmed" ? "unconfirmed" : "unknown";
  } catch (error) {
    if (signal.aborted || isBusy(error)) return "unheard";
    if (error instanceof ChainUnavailable) return "silent";
    if (error instanceof ChainInconsistent) return "contradicted";
    throw error;
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Rejection && error.code === "overloaded";

/** Nothing is known, and the next round asks again; any other error is thrown. */
function unlessUnheard(error: unknown): null {
  if (error instanceof ChainUnavailable || error instanceof ChainInconsistent) return null;
  throw error;
}

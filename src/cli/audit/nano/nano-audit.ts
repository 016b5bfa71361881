import { appendFile, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { SingleBar } from "cli-progress";
import * as z from "zod";
import { accountText } from "../../../platform/chain/account.ts";
import { ChainInconsistent } from "../../../platform/chain/adapter.ts";
import { type BlockReport, fetchReport } from "../../../platform/chain/block-report.ts";
import { targetOf } from "../../../platform/chain/merged-reports.ts";
import {
  callNode,
  type RpcAddress,
  RpcFailure,
  RpcRefusal,
  shaped,
} from "../../../platform/chain/rpc.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import { Stop, UNREADABLE, USAGE } from "../../command/stop.ts";
import type { SealedTransfer, SealedTransfers } from "./sealed-transfers.ts";

/** Look-ups of one node a second at most. */
const PER_SECOND = 10;
const CALL_MAX_MS = 10_000;
const TRIES = 3;
const BETWEEN_TRIES_MS = 1_000;

/** A node's word that differs from the ledger's. */
interface ChainFinding {
  /** The host of the node. */
  readonly node: string;
  readonly ledger_id: number;
  readonly entry: string;
  readonly hash: string;
  readonly finding: string;
  /** Whether only the operator has said that there is such a transfer. */
  readonly isWord: boolean;
}

/** What nodes say of the transfers that a ledger tells of. */
export interface ChainAudit {
  readonly transfers: number;
  /** Of all nodes together. */
  readonly looked_up: number;
  /** Fine in an earlier run, by the file that was given. */
  readonly skipped: number;
  readonly findings: readonly ChainFinding[];
  /** By node: what lies on the escrow accounts, received or not; null where it does not say. */
  readonly reserves: readonly { readonly node: string; readonly held_raw: string | null }[];
  readonly owed_raw: string;
  readonly exit_code: number;
}

export interface ChainOptions {
  readonly urls: readonly string[];
  /** Where hashes that were fine are kept, so that a run that was cut off goes on. */
  readonly done: string | undefined;
}

const NOT_ON_CHAIN = 1;

/** Looks up every transfer of XNO that the entries tell of, and what lies on the escrow accounts. */
export async function auditChain(
  sealed: SealedTransfers,
  owed_raw: bigint,
  { urls, done }: ChainOptions,
): Promise<ChainAudit> {
  const known = new Set(done === undefined ? [] : await linesOf(done));
  const findings: ChainFinding[] = [];
  const reserves: { node: string; held_raw: string | null }[] = [];
  let looked_up = 0;
  let skipped = 0;
  const bar = barOf(sealed.transfers.length * urls.length);
  for (const url of urls) {
    const node = new URL(url).host;
    const address = { url, authorization: null };
    for (const transfer of sealed.transfers) {
      const line = `${node} ${transfer.hash} ${transfer.ledger_id}`;
      bar?.increment();
      if (known.has(line)) {
        skipped++;
        continue;
      }
      const [finding] = await Promise.all([
        findingOf(address, transfer, sealed),
        sleep(1_000 / PER_SECOND),
      ]);
      looked_up++;
      const { ledger_id, entry, hash, isChecked } = transfer;
      if (finding !== null)
        findings.push({ node, ledger_id, entry, hash, finding, isWord: !isChecked });
      else if (done !== undefined) await appendFile(done, `${line}\n`);
    }
    reserves.push({ node, held_raw: await heldBy(address, sealed.escrows) });
  }
  bar?.stop();
  const isShort = reserves.some(({ held_raw }) => held_raw !== null && BigInt(held_raw) < owed_raw);
  const isBroken = isShort || findings.some(({ isWord }) => !isWord);
  return {
    transfers: sealed.transfers.length,
    looked_up,
    skipped,
    findings,
    reserves,
    owed_raw: String(owed_raw),
    exit_code: isBroken ? NOT_ON_CHAIN : 0,
  };
}

async function linesOf(path: string): Promise<readonly string[]> {
  try {
    return (await readFile(path, "utf8")).split("\n");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw new Stop(USAGE, `${path} cannot be read.`, error);
  }
}

function barOf(total: number): SingleBar | null {
  if (!process.stderr.isTTY) return null;
  const bar = new SingleBar({
    format: "[{bar}] transfer {value} of {total}, {eta_formatted} left",
    clearOnComplete: true,
    hideCursor: true,
  });
  bar.start(total, 0);
  return bar;
}

/** How a transfer on the chain differs from its entry; null: it does not. */
async function findingOf(
  address: RpcAddress,
  transfer: SealedTransfer,
  sealed: SealedTransfers,
): Promise<string | null> {
  try {
    const report = await asked(address, (endpoint, signal) =>
      fetchReport(endpoint, transfer.hash, signal),
    );
    return report === null ? "is not on the chain" : differenceOf(report, transfer, sealed);
  } catch (error) {
    if (error instanceof ChainInconsistent) return `is shown with ${error.message}`;
    throw error;
  }
}

function differenceOf(
  report: BlockReport,
  { amount_raw, to, from, from_sha256, direction }: SealedTransfer,
  { own, escrows }: SealedTransfers,
): string | null {
  const target = targetOf(report);
  const sender = accountText(report.account);
  const receiver = target && accountText(target);
  if (!report.isConfirmed) return "is not confirmed";
  if (report.amountRaw !== null && report.amountRaw !== BigInt(amount_raw))
    return `is of ${report.amountRaw} raw, and the ledger says ${amount_raw}`;
  if (to !== null && receiver !== to) return `went to ${receiver}, and the ledger says ${to}`;
  if (direction === "in" && (receiver === null || !own.has(receiver)))
    return `went to ${receiver}, which is no account of the network's own`;
  if (direction === "out" && !escrows.has(sender))
    return `came from ${sender}, which is no escrow account`;
  const isFrom =
    from === null ? from_sha256 === null || sha256Hex(sender) === from_sha256 : sender === from;
  return isFrom ? null : `came from ${sender}, and the ledger says another account`;
}

type Endpoint = Parameters<typeof fetchReport>[0];

/** A call that is repeated when it fails in passing. */
async function asked<T>(
  address: RpcAddress,
  question: (endpoint: Endpoint, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      const endpoint = {
        call: (...call: Parameters<Endpoint["call"]>) => callNode(address, ...call),
      };
      return await question(endpoint, AbortSignal.timeout(CALL_MAX_MS));
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      if (!error.passes || tries === TRIES)
        throw new Stop(
          UNREADABLE,
          `The node ${new URL(address.url).host} ${error.message}.`,
          error,
        );
      await sleep(BETWEEN_TRIES_MS);
    }
}

const raw = z
  .string()
  .regex(/^[0-9]{1,39}$/)
  .transform(BigInt);
const held = z.object({ balance: raw, receivable: raw.optional(), pending: raw.optional() });

/** The sum of what accounts hold; null where the node does not say. */
async function heldBy(address: RpcAddress, accounts: ReadonlySet<string>): Promise<string | null> {
  let sum = 0n;
  for (const account of accounts) {
    const request = { action: "account_balance", account };
    try {
      const answer = await asked(address, (endpoint, signal) => endpoint.call(request, signal));
      const { balance, receivable, pending } = shaped(held, answer, "account_balance");
      sum += balance + (receivable ?? pending ?? 0n);
    } catch (error) {
      if (error instanceof RpcRefusal || error instanceof ChainInconsistent) return null;
      throw error;
    }
  }
  return String(sum);
}

/** Lines for a person. */
export function chainLines({
  transfers,
  findings,
  reserves,
  owed_raw,
  skipped,
}: ChainAudit): string[] {
  return [
    `${transfers} transfers of XNO were looked up${skipped === 0 ? "" : ` (${skipped} in an earlier run)`}.`,
    ...findings.map(
      ({ node, ledger_id, entry, hash, finding, isWord }) =>
        `Entry ${ledger_id}, ${entry}: ${hash} ${finding} (${node})${isWord ? "; the operator's word" : ""}.`,
    ),
    ...reserves.map(({ node, held_raw }) =>
      held_raw === null
        ? `${node} does not say what lies on the escrow accounts.`
        : `${held_raw} raw lie on the escrow accounts and ${owed_raw} are owed (${node}).`,
    ),
  ];
}

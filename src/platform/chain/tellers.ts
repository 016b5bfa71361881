import type { PublicKey } from "../kernel/nano.ts";
import { ChainInconsistent, type ToldBlock } from "./adapter.ts";
import { type BlockReport, fetchReport } from "./block-report.ts";
import type { Endpoint } from "./endpoint.ts";
import { targetOf } from "./merged-reports.ts";
import type { Nodes } from "./nodes.ts";

const INVENTED = "told of a block that it cannot show";

/** Whether somebody shows this block of the account: signed by it, or an epoch block, which others sign. */
export async function isOwnBlock(
  nodes: Nodes,
  hash: string,
  account: PublicKey,
  signal: AbortSignal,
): Promise<boolean> {
  const report = await nodes.one((endpoint, limit) => fetchReport(endpoint, hash, limit), signal);
  return report?.account === account;
}

/**
 * A block proves itself by its hash, its signature and its target, so an endpoint that tells of one can show it,
 * unless it forgets blocks. Names those that cannot, and leaves them out as far as the quorum allows; resolves to
 * the others.
 */
export async function question(
  nodes: Nodes,
  { hash, tellers }: ToldBlock,
  account: PublicKey,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const answers = await nodes.named(
    tellers,
    (endpoint, limit) => showsIt(endpoint, hash, account, limit),
    signal,
  );
  const leftOut = [...answers]
    .filter(([name, isShown]) => !isShown && nodes.accuse(name, INVENTED))
    .map(([name]) => name);
  return tellers.filter((name) => !leftOut.includes(name));
}

async function showsIt(
  endpoint: Endpoint,
  hash: string,
  account: PublicKey,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const report = await fetchReport(endpoint, hash, signal);
    return report === null ? !endpoint.keepsAll() : concerns(report, account);
  } catch (error) {
    if (error instanceof ChainInconsistent) return false;
    throw error;
  }
}

const concerns = (report: BlockReport, key: PublicKey): boolean =>
  report.account === key || targetOf(report) === key;

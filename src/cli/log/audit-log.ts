import { isTurn, takeTurns } from "../../kernel/chain.ts";
import type { Entry } from "../../kernel/entry.ts";
import { ledgerOfLog } from "../../kernel/origin.ts";
import type { SignedCheckpoint } from "../../kernel/tlog-checkpoint.ts";
import type { Policy } from "../../kernel/tlog-policy.ts";
import { logKey } from "../../tlog/entries.ts";
import { logChain } from "../../verify/log-chain.ts";
import { logSource } from "../../verify/log-source.ts";
import { namesOf } from "../../verify/names.ts";
import { type Platform, platformHere } from "../../verify/platform.ts";
import type { EntryRecord } from "../../verify/shapes.ts";
import { walkChain } from "../../verify/walk.ts";
import { type Books, emptyBooks } from "../audit/replay.ts";

/** What the entries of a log came to. */
export interface LogAudit {
  readonly entries: number;
  readonly faults: readonly string[];
  /** Hints for the operator; they are no faults. */
  readonly warnings: readonly string[];
}

/**
 * Reads a whole copy again, and makes the books from its entries. Each entry has to be well-formed, in
 * order, named once, and within the rules of coins, orders and transfers. The ledger has to be the one
 * whose log this is, with the log's key in it. A Stop when the files do not make the checkpoint's tree.
 */
export async function auditLog(
  folder: string,
  checkpoint: SignedCheckpoint,
  { logs }: Policy,
): Promise<LogAudit> {
  const platform = await platformHere();
  const { origin } = checkpoint;
  const names = namesOf(platform);
  const books = emptyBooks();
  const bodies = bodyCheck(books);
  const turns: Entry[] = [];
  const named = new Set<unknown>();
  const entry = (each: EntryRecord): string | null => {
    const { kind, ref, body } = each;
    if (kind === "") return null; // The walk tells why it is no entry.
    if (isTurn(kind)) turns.push(each);
    if (kind === logKey.kind && body["log_origin"] === origin) named.add(body["pubkey"]);
    return names.isFirst(kind, ref) ? bodies(each) : "an earlier entry has its kind and ref";
  };
  const chain = logChain(logSource(folder), checkpoint);
  const walked = await walkChain(chain, { origin, keys: [] }, { seal: () => {}, entry });
  const isNamed = logs.some(({ key }) => key.name === origin && named.has(key.pubkey));
  const faults = [
    ...walked.findings.map(({ reason }) => reason),
    ...turnFaults(platform, origin, turns),
    ...(isNamed ? [] : [`no entry names the key of the log ${origin}`]),
    ...books.breaches().map(({ ledger_id, rule }) => `entry ${ledger_id}: ${rule}`),
  ];
  return { entries: walked.entries, faults, warnings: books.warnings() };
}

/** Adds entries to books, up to the first that has no body of its kind: what follows from it is unknown. */
function bodyCheck(books: Books): (entry: EntryRecord) => string | null {
  let isOver = false;
  return (entry) => {
    try {
      if (!isOver) books.add(entry);
      return null;
    } catch {
      isOver = true;
      return "the body is none of its kind";
    }
  };
}

/** Genesis, rotations and restores, under the key that genesis names: no checkpoint without a signed seal. */
function turnFaults(platform: Platform, name: string, turns: readonly Entry[]): readonly string[] {
  const [genesis] = turns;
  const pubkey = genesis?.kind === "genesis" ? genesis.body["pubkey"] : undefined;
  const state = {
    origin: ledgerOfLog(name)?.ledger ?? name,
    key: typeof pubkey === "string" ? pubkey : null,
  };
  return takeTurns({ ...platform, trusts: () => false }, state, { signed: true }, turns).faults;
}

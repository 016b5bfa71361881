import { didAct } from "../src/ledger/acts.ts";
import type { Finding, ReplayedEntry } from "../src/ledger/replay.ts";
import { sha256Hex } from "../src/ledger/sha256.ts";
import { replayLedger } from "../src/transitions.ts";
import { isInvented } from "./invented-acts.ts";

/**
 * The rules that entries break. Tests take two short cuts: an act that they have invented counts as done, and
 * the escrow account of an order as named, where the service of a test did not start with accounts.
 */
export function findingsIn(entries: readonly ReplayedEntry[]): readonly Finding[] {
  const replay = replayLedger(sha256Hex);
  const namesAccounts = entries.some(({ kind }) => kind === "own_account");
  for (const entry of entries) {
    const { agent, source, escrow } = entry.body;
    if (entry.kind === "coin_reward" && isInvented(`${agent}`, `${source}`))
      didAct(replay.state, entry.at, `${agent}`, `${source}`);
    if (entry.kind === "order" && !namesAccounts) replay.state.escrows.add(`${escrow}`);
    replay.add(entry);
    if (entry.kind === "recognition" && isInvented(`${agent}`, `${source}`))
      replay.state.recognitions.delete(Number(entry.body["recognition_id"]));
  }
  return replay.findings();
}

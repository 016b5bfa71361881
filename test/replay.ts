import { didAct } from "../src/coin/ledger.ts";
import type { Finding, ReplayedEntry } from "../src/ledger/replay.ts";
import { sha256Hex } from "../src/ledger/sha256.ts";
import { replayLedger } from "../src/transitions.ts";
import { isInvented } from "./invented-acts.ts";

/** What the rules find in a ledger; acts that a test has invented count as done. */
export function findingsIn(entries: readonly ReplayedEntry[]): readonly Finding[] {
  const replay = replayLedger(sha256Hex);
  for (const entry of entries) {
    const { agent, source } = entry.body;
    if (entry.kind === "coin_reward" && isInvented(`${agent}`, `${source}`))
      didAct(replay.state, entry.at, `${agent}`, `${source}`);
    replay.add(entry);
  }
  return replay.findings();
}

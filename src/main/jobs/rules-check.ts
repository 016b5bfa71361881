import type { Db } from "../../db/engine.ts";
import { entriesAfter } from "../../ledger/entry-queries.ts";
import { PLATFORM } from "../../ledger/platform.ts";
import type { Finding } from "../../ledger/replay.ts";
import type { JobContext } from "../../ledger/seals/seal.ts";
import { replayLedger } from "../../transitions.ts";

/** Few enough that no request waits long behind one slice. */
const SLICE = 250;

/** An entry of this service that the rules do not allow, or a duty that it has not done. */
export interface RuleViolation extends Pick<Finding, "ledger_id" | "kind" | "ref" | "sentence"> {
  readonly invariant: "rules";
}

/** Replays the ledger against the rules of its kinds. */
export interface RulesCheck {
  /**
   * Checks all that is new, at the first call everything; resolves to what was not told before. What the
   * operator has acknowledged is not told.
   */
  run(context: Pick<JobContext, "read" | "yieldToRequests">): Promise<readonly RuleViolation[]>;
}

/** Keeps what the rules ask for in the memory of this process, so a run reads the new entries only. */
export function rulesCheck(): RulesCheck {
  const replay = replayLedger(PLATFORM);
  const told = new Set<string>();

  /** Resolves to whether there may be more. */
  async function slice(read: Db): Promise<boolean> {
    const after_id = replay.state.last.id;
    const entries = await entriesAfter.all(read, { after_id, limit: SLICE });
    for (const { ledger_id: id, body, ...entry } of entries)
      replay.add({ id, ...entry, body: JSON.parse(body) });
    return entries.length === SLICE;
  }

  return {
    async run({ read, yieldToRequests }) {
      while (await slice(read)) await yieldToRequests();
      const found = replay
        .findings()
        .filter(({ ledger_id }) => !replay.state.acknowledged.has(ledger_id))
        .map(({ ledger_id, kind, ref, sentence }) => ({
          invariant: "rules" as const,
          ledger_id,
          kind,
          ref,
          sentence,
        }))
        .filter(({ kind, ref, sentence }) => !told.has(`${kind} ${ref} ${sentence}`));
      for (const { kind, ref, sentence } of found) told.add(`${kind} ${ref} ${sentence}`);
      return found;
    },
  };
}

import { replayLedger } from "../../domains/transitions.ts";
import type { Db } from "../../platform/db/engine.ts";
import { rulesAdopted } from "../../platform/ledger/entries.ts";
import { entriesAfter } from "../../platform/ledger/entry-queries.ts";
import type { LedgerState } from "../../platform/ledger/ledger.ts";
import { PLATFORM } from "../../platform/ledger/platform.ts";
import type { Finding, Replay } from "../../platform/ledger/replay.ts";
import { RULES } from "../../platform/ledger/rules.ts";
import type { JobContext } from "../../platform/ledger/seals/seal.ts";

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
      const found = [...replay.findings().map(violationOf), ...unknownIn(replay)]
        .filter(({ ledger_id }) => !replay.state.acknowledged.has(ledger_id))
        .filter(({ kind, ref, sentence }) => !told.has(`${kind} ${ref} ${sentence}`));
      for (const { kind, ref, sentence } of found) told.add(`${kind} ${ref} ${sentence}`);
      return found;
    },
  };
}

const violationOf = ({ ledger_id, kind, ref, sentence, later }: Finding): RuleViolation => ({
  ...{ invariant: "rules", ledger_id, kind, ref },
  sentence:
    later === null
      ? sentence
      : `Not allowed by rules ${RULES}; later rules ${later} are unknown: ${sentence}`,
});

/** That a newer version wrote a part of the ledger, of which this program cannot say whether it was allowed. */
function unknownIn({ state, unknown }: Replay<LedgerState>): readonly RuleViolation[] {
  const { rules, rules_from, kinds } = unknown();
  const of = { invariant: "rules", ledger_id: rules_from ?? state.last.id } as const;
  const sentence = `This program knows rules ${RULES}, so it cannot check what follows. Start a newer version.`;
  return [
    ...(rules === null ? [] : [{ ...of, kind: rulesAdopted.kind, ref: `${rules}`, sentence }]),
    ...[...kinds.keys()].map((kind) => ({ ...of, kind, ref: "", sentence: UNKNOWN_KIND })),
  ];
}

const UNKNOWN_KIND = "This program knows no entries of this kind. Start a newer version.";

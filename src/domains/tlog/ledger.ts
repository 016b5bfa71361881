import type { LedgerState } from "../../platform/ledger/ledger.ts";
import {
  type AnyTransition,
  fault,
  numberIn,
  transition,
} from "../../platform/ledger/transition.ts";
import * as entries from "./entries.ts";

export interface LogState extends LedgerState {
  /** The keys of the logs so far. */
  readonly logKeys: Set<string>;
  /** How many logs an epoch has. */
  readonly logs: Map<number, number>;
}

export const emptyLog = () => ({ logKeys: new Set<string>(), logs: new Map<number, number>() });

const logKey = transition(entries.logKey, {
  refuses: {
    epoch: fault("A log belongs to the ledger's present epoch."),
    count: fault("The logs of an epoch are counted from 1."),
    key: fault("Each log has a key of its own."),
  },
  before: ({ logKeys, logs, epoch }: LogState, { body }) => ({
    isNew: !logKeys.has(body.pubkey),
    logs: logs.get(body.epoch) ?? 0,
    epoch,
  }),
  rule({ isNew, logs, epoch }, { ref, body }, refuses) {
    if (body.epoch !== epoch) return refuses.epoch;
    if (numberIn(ref) !== logs + 1) return refuses.count;
    return isNew ? undefined : refuses.key;
  },
  evolve({ logKeys, logs }, { body }) {
    logKeys.add(body.pubkey);
    logs.set(body.epoch, (logs.get(body.epoch) ?? 0) + 1);
  },
});

export const logTransitions: readonly AnyTransition<LogState>[] = [logKey];

import { type CoinState, coinTransitions, emptyCoin, owedCoin } from "./coin/ledger.ts";
import { ENTRY_KINDS } from "./entries.ts";
import { identityTransitions } from "./identity/ledger.ts";
import { emptyLedger, type LedgerState, ledgerTransitions } from "./ledger/ledger.ts";
import { openReplay, type StateMachine } from "./ledger/replay.ts";
import type { AnyTransition } from "./ledger/transition.ts";

/** What a ledger makes, as far as the rules of its kinds ask for it. */
export interface State extends CoinState {}

/** The rule and the effect of each kind, in the order of docs/reference/ledger.md. */
export const TRANSITIONS: readonly AnyTransition<State>[] = [
  ...ledgerTransitions,
  ...identityTransitions,
  ...coinTransitions,
];

/** The ledger as a state machine. */
const machine = (sha256Hex: LedgerState["sha256Hex"]): StateMachine<State> => ({
  transitions: TRANSITIONS,
  kinds: ENTRY_KINDS,
  empty: () => ({ ...emptyLedger(sha256Hex), ...emptyCoin() }),
  owed: function* (state) {
    yield* owedCoin(state);
  },
});

/** Replays a ledger from its first entry on. */
export const replayLedger = (sha256Hex: LedgerState["sha256Hex"]) => openReplay(machine(sha256Hex));

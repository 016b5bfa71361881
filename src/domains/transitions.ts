import { emptyLedger, ledgerTransitions, type Platform } from "../platform/ledger/ledger.ts";
import { openReplay, type StateMachine } from "../platform/ledger/replay.ts";
import type { AnyTransition } from "../platform/ledger/transition.ts";
import { type AppsState, appsTransitions, emptyApps } from "./apps/ledger.ts";
import { type ClaimsState, claimsTransitions, emptyClaims, owedClaims } from "./claims/ledger.ts";
import { coinTransitions, emptyCoin, owedCoin } from "./coin/ledger.ts";
import { type CommonsState, commonsTransitions, emptyCommons } from "./commons/ledger.ts";
import { ENTRY_KINDS } from "./entries.ts";
import { emptyFeed, type FeedState, feedTransitions } from "./feed/ledger.ts";
import { followAct, keyTransitions } from "./identity/keys/ledger.ts";
import { identityTransitions, owedIdentity } from "./identity/ledger.ts";
import { emptyMarket, type MarketState, marketTransitions, owedMarket } from "./market/ledger.ts";
import { emptyRemovals, type RemovalsState, removalsTransitions } from "./removals/ledger.ts";
import {
  emptyRepositories,
  type RepositoriesState,
  repositoriesTransitions,
} from "./repositories/ledger.ts";
import {
  emptyRequests,
  owedRequests,
  type RequestsState,
  requestsTransitions,
} from "./requests/ledger.ts";
import { emptyTasks, owedTasks, type TasksState, tasksTransitions } from "./tasks/ledger.ts";
import { emptyLog, type LogState, logTransitions } from "./tlog/ledger.ts";
import {
  emptyTransfers,
  followUse,
  owedTransfers,
  type TransfersState,
  transfersTransitions,
} from "./transfers/ledger.ts";

/** All that a ledger makes, as far as the rules of its kinds ask for it. */
export type State = FeedState &
  RepositoriesState &
  AppsState &
  ClaimsState &
  CommonsState &
  RequestsState &
  TasksState &
  TransfersState &
  MarketState &
  LogState &
  RemovalsState;

/** The rule and the effect of each kind. */
export const TRANSITIONS: readonly AnyTransition<State>[] = [
  ...identityTransitions,
  ...keyTransitions,
  ...feedTransitions,
  ...repositoriesTransitions,
  ...appsTransitions,
  ...claimsTransitions,
  ...commonsTransitions,
  ...requestsTransitions,
  ...tasksTransitions,
  ...coinTransitions,
  ...transfersTransitions,
  ...marketTransitions,
  ...ledgerTransitions,
  ...logTransitions,
  ...removalsTransitions,
];

/** The ledger as a state machine. */
export const machine = (platform: Platform): StateMachine<State> => ({
  transitions: TRANSITIONS,
  kinds: ENTRY_KINDS,
  empty: () => ({
    ...emptyLedger(platform),
    ...emptyCoin(),
    ...emptyFeed(),
    ...emptyRepositories(),
    ...emptyApps(),
    ...emptyClaims(),
    ...emptyCommons(),
    ...emptyRequests(),
    ...emptyTasks(),
    ...emptyTransfers(),
    ...emptyMarket(),
    ...emptyLog(),
    ...emptyRemovals(),
  }),
  acted: (state, kind, entry, agent) => followAct(state, { kind, entry, agent }),
  used: followUse,
  owed: function* (state) {
    yield* owedIdentity(state);
    yield* owedClaims(state);
    yield* owedTasks(state);
    yield* owedRequests(state);
    yield* owedCoin(state);
    yield* owedTransfers(state);
    yield* owedMarket(state);
  },
});

/** Replays a ledger from its first entry on. */
export const replayLedger = (platform: Platform) => openReplay(machine(platform));

import { COIN_LOCKED, COIN_SUPPLY } from "../kernel/money.ts";
import type { Seconds } from "../kernel/time.ts";
import * as entries from "./entries.ts";
import { fault, transition } from "./transition.ts";

/** What the ledger itself makes, as far as rules ask for it. */
export interface LedgerState {
  /** The version of the rules in force; 0 in a ledger of a version that had none. */
  rules: number;
  /** The entry before the one that is looked at. */
  last: { readonly id: number; readonly at: Seconds };
  /** How many of the next entries waited while the service was down, and the time before that. */
  resumed: number;
  resumedAfter: Seconds;
  announcements: number;
  /** The operator's key in force. */
  pubkey: string | null;
  rotations: number;
  epoch: number;
}

export const emptyLedger = (): LedgerState => ({
  rules: 0,
  last: { id: 0, at: 0 },
  resumed: 0,
  resumedAfter: 0,
  announcements: 0,
  pubkey: null,
  rotations: 0,
  epoch: 1,
});

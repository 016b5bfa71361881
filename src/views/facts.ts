import type { Contract } from "../kernel/operation.ts";
import type { SignerState } from "../ledger/signer.ts";
import type { LimitTable } from "./limit-table.ts";

/** What the answers say of the service around them, which they cannot see from here. */
export interface ServiceFacts {
  /** Every operation, by domain. */
  readonly contracts: Readonly<Record<string, Contract>>;
  /** 0: none is enforced. */
  readonly rateLimitPerMinute: number;
  /** The edge rule 1010. */
  readonly edgeRule: { readonly isOn: boolean; readonly userAgent: RegExp };
  /** What each process guards itself with. */
  readonly guards: LimitTable;
  /** Why this process signs seals, or why not. */
  readonly signerState: () => SignerState;
  /** How often its clock was behind the last entry. */
  readonly clockClamps: () => number;
}

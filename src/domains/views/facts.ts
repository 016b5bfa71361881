import type { Contracts } from "../../platform/kernel/contract/operation.ts";
import type { SignerState } from "../../platform/ledger/seals/signer.ts";
import type { LimitTable } from "./limits/table.ts";

/** What one sender may do on this node; 0 is without a limit. */
export interface SenderLimits {
  readonly rateLimitPerMinute: number;
  readonly registrationsPerHour: number;
  /** How many times that of an agent a network may, and how many times that a /48 may. */
  readonly networkShare: number;
  readonly siteShare: number;
  /** Whether callers' addresses are seen: behind a proxy that is not trusted they are not. */
  readonly addresses: () => "known" | "unknown" | "proxy_not_trusted";
}

/** What the answers say of the service around them, which they cannot see from here. */
export interface ServiceFacts {
  /** Every operation, by domain. */
  readonly contracts: Contracts;
  readonly limits: SenderLimits;
  /** MiB that an agent may store a day; 0: as much as it wants. */
  readonly agentMibPerDay: number;
  /** Days that the disk must last; 0: it has no budget, or is not the service's own. */
  readonly diskDays: number;
  /** The edge rule 1010. */
  readonly edgeRule: { readonly isOn: boolean; readonly userAgent: RegExp };
  /** What each process guards itself with. */
  readonly processLimits: LimitTable;
  /** Why this process signs seals, or why not. */
  readonly signerState: () => SignerState;
  /** How often its clock was behind the last entry. */
  readonly clockClamps: () => number;
}

import { canonicalJson } from "../canonical.ts";

/** The first line of every text that an act key signs. */
const ACT_LINE = "agent-network/act/v1";

/** What a key signs (docs/reference/acts.md): all of it stands in the ledger, so anybody can build it again. */
export interface SignedAct {
  /** The leaf of the ledger's first entry, 64 hex characters. */
  readonly genesis: string;
  /** 1, and one more for each restore that lost entries. */
  readonly epoch: number;
  readonly agent: string;
  /** The number of the key, counted from 1. */
  readonly key: number;
  /** One more than that of the agent's last act. */
  readonly act: number;
  /** Unix seconds. */
  readonly not_after: number;
  /** The kind of the entry that the act makes. */
  readonly kind: string;
  /** The signed fields of that entry, as they are sealed. */
  readonly body: Readonly<Record<string, string | number>>;
}

/** The line, a line feed, and the JCS of the act (RFC 8785). */
export const actText = (act: SignedAct): string => `${ACT_LINE}\n${canonicalJson({ ...act })}`;

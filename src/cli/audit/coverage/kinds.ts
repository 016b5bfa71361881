import type { LedgerEntry } from "../../../entries.ts";

/** The kinds from which no row and no figure follows, each with the reason. */
export const KINDS_NOT_COMPARED: { readonly [Kind in LedgerEntry["kind"]]?: string } = {
  breach_acknowledged: "says that the operator knows of an entry that breaks a rule; rules read it",
  doubt_dismissed: "says why the operator asks no more about a transfer that nobody has proven",
  heartbeat: "says that the ledger was quiet, and nothing else follows from it",
  key_rotation: "changes the key that signs the seals: the walk over the chain verifies it",
  ledger_resumed: "says how many entries waited for their places; rules read it",
  log_key: "names a key of the public log, which readers of the log pin and verify",
  rules_adopted: "says which rules the entries after it keep; rules read it",
};

import { isSigned, sealedMessage, withoutOrigin } from "./announcements/signed-message.ts";
import * as entries from "./entries.ts";
import { chain, derived, local, made, sealed, text } from "./rows/columns.ts";
import { makes, ownStatements, rowsOf, table, without } from "./rows/effects.ts";
import type { Row } from "./rows/told.ts";

/** A text without its signature is none that an entry has. */
const signedMessageIn = ({ signed_message, signature }: Row): string =>
  isSigned(`${signed_message}`, `${signature}`)
    ? withoutOrigin(`${signed_message}`)
    : `not signed: ${signed_message}`;

const announcements = table("announcement", {
  id: sealed("announcement_id"),
  at: sealed("signed_at"),
  kind: sealed("announcement_kind"),
  title: text("title_sha256"),
  body: text("body_sha256"),
  signed_message: made("derived", signedMessageIn, ({ body }) => sealedMessage(body), {
    form: "signed",
  }),
  signature: sealed("signature"),
  rewards_per_hour: sealed("rewards_per_hour"),
  rate_limit_per_minute: sealed("rate_limit_per_minute"),
});

const epochs = table(
  "ledger_epoch",
  { epoch: sealed("epoch"), reason: text("reason_sha256") },
  { key: ["epoch"] },
);

/** What each kind of entry does to rows. */
export const rows = rowsOf(entries, {
  genesis: ownStatements("says with what the coins begin: the projector of coins makes accounts"),
  announcement: [makes(announcements)],
  keyRotation: without("changes the key that signs the seals: the walk over the chain verifies it"),
  ledgerRestored: [makes(epochs)],
  heartbeat: without("says that the ledger was quiet, and nothing else follows from it"),
  breachAcknowledged: without(
    "says that the operator knows of an entry that breaks a rule; rules read it",
  ),
  rulesAdopted: ownStatements(
    "says which rules are in force: the sequencing stores it in the head",
  ),
  ledgerResumed: without("says how many entries waited for their places; rules read it"),
});

/** The tables whose rows no single entry makes. Entries are the chain's; where they wait is this service's own. */
export const otherTables = {
  ledger_entry: chain("ledger_id", "at", "kind", "shape", "ref", "body", "leaf"),
  ledger_kind: chain("id", "kind"),
  ledger_shape: chain("id", "names"),
  ledger_pending: { ...chain("row_id", "kind", "ref", "body"), ...local("rules") },
  ledger_recent: local("kind", "ref", "row_id"),
  ledger_floor: local("k", "floor", "marked", "marked_xid", "settled", "settled_at"),
  ledger_head: { ...derived("last_id", "last_at", "rules"), ...local("k") },
  seal: chain(
    ...(["seq", "at", "count", "from_id", "to_id", "root", "prev_root", "prev_seal"] as const),
    ...(["log_root", "origin", "seal_hash", "signed_at", "pubkey", "signature"] as const),
  ),
  seal_tree: chain("seq", "levels"),
  seal_head: {
    ...chain("k", "last_seq", "last_to_id", "last_at", "last_root", "last_seal_hash", "frontier"),
    ...local("verified_through_seq", "verified_at", "first_broken_seq"),
  },
  signer_notice: local("k", "state", "seq", "at"),
  clock_accepted: local("k", "at"),
  clock_boot: local("boot", "offset_ms", "room_s", "room_at_s", "stored_at"),
  card_signature: local("card_sha256", "pubkey", "signatures", "signed_at"),
} as const;

import type { Generated } from "kysely";
import type { Seconds } from "../kernel/time.ts";

/** Inserted whole and never changed. Its sealed text follows from the other columns. */
interface LedgerEntryTable {
  ledger_id: number;
  at: Seconds;
  /** The row of its kind; 1 is `post`. */
  kind: number;
  /** The row of its body's names. */
  shape: number;
  ref: string;
  /** Packed (platform/kernel/proof/packed.ts). */
  body: Uint8Array;
  leaf: Uint8Array;
}

/** Committed without an id, until the next sequencing. */
interface LedgerPendingTable {
  /** The order key. */
  row_id: Generated<number>;
  kind: string;
  ref: string;
  /** JCS text. */
  body: string;
  /** The version of the rules that its writer keeps. */
  rules: number;
}

/** The names of entries that a transaction may not see yet; PostgreSQL only. */
interface LedgerRecentTable {
  kind: string;
  ref: string;
  row_id: number;
}

/** Where the sequencing of PostgreSQL begins to look; PostgreSQL only. */
interface LedgerFloorTable {
  k: number;
  /** At or below it no row is pending. */
  floor: number;
  /** The next floor. */
  marked: number;
  /** It is one when no transaction below this one runs any more. */
  marked_xid: number;
  /** A floor that every transaction begun since `settled_at` sees as one. */
  settled: number;
  /** In milliseconds. */
  settled_at: number;
}

interface LedgerHeadTable {
  k: number;
  last_id: number;
  last_at: Seconds;
  /** The version of the rules in force after the last entry; 0 before the first. */
  rules: number;
}

interface SealTable {
  seq: number;
  at: Seconds;
  count: number;
  from_id: number;
  to_id: number;
  root: Uint8Array;
  prev_root: Uint8Array | null;
  prev_seal: Uint8Array | null;
  log_root: Uint8Array;
  origin: string;
  seal_hash: Uint8Array;
  signed_at: Seconds | null;
  pubkey: string | null;
  signature: string | null;
}

/** The upper part of a seal's tree, so that a proof need not hash it again. Derived, and checked where it is used. */
interface SealTreeTable {
  seq: number;
  /** The tree over the roots of blocks of 16 leaves (kernel/merkle: encodeTree). */
  levels: Uint8Array;
}

interface SealHeadTable {
  k: number;
  last_seq: number;
  last_to_id: number;
  last_at: Seconds;
  last_root: Uint8Array | null;
  last_seal_hash: Uint8Array | null;
  /** Roots of the full subtrees of the log tree, largest first, 32 bytes each. */
  frontier: Uint8Array;
  verified_through_seq: number;
  verified_at: Seconds | null;
  first_broken_seq: number | null;
}

/** What the operator has announced. Its entry has the hashes of both texts, and the signature. */
interface AnnouncementTable {
  id: number;
  at: Seconds;
  kind: string;
  title: string;
  body: string;
  /** Kept as it was signed: the origin in it may change later. */
  signed_message: string;
  signature: string;
  /** The number of rewards an hour that it sets for the whole network; 0 switches it off. */
  rewards_per_hour: number | null;
  /** The requests per minute that it says a node takes from an agent; 0: no limit any more. */
  rate_limit_per_minute: number | null;
}

/** Why a restore began a new epoch. */
interface LedgerEpochTable {
  epoch: number;
  reason: string;
}

/** The notice of the node with the operator's key to the other nodes; no row before its first notice. */
interface SignerNoticeTable {
  k: number;
  state: string;
  seq: number;
  at: Seconds;
}

/** The time that the operator has last said to be right. */
interface ClockAcceptedTable {
  k: number;
  at: Seconds;
}

/** What a clock has shown on a boot of its machine. */
interface ClockBootTable {
  boot: string;
  /** The time shown when the machine booted, milliseconds since 1970. */
  offset_ms: number;
  /** The bucket of unexplained forward time: what it held, and how long after the boot. Seconds. */
  room_s: number;
  room_at_s: number;
  /** When this was stored, so that the oldest boots are forgotten. */
  stored_at: Seconds;
}

/** What vouches for an agent card that some node serves. */
interface CardSignatureTable {
  /** Of the card's RFC 8785 text, without signatures. */
  card_sha256: string;
  /** The key that signed it. */
  pubkey: string;
  /** As the card shows them, in JSON. */
  signatures: string;
  signed_at: Seconds;
}

export interface LedgerTables {
  ledger_entry: LedgerEntryTable;
  ledger_pending: LedgerPendingTable;
  ledger_recent: LedgerRecentTable;
  ledger_floor: LedgerFloorTable;
  ledger_head: LedgerHeadTable;
  seal: SealTable;
  seal_tree: SealTreeTable;
  seal_head: SealHeadTable;
  announcement: AnnouncementTable;
  ledger_epoch: LedgerEpochTable;
  signer_notice: SignerNoticeTable;
  clock_accepted: ClockAcceptedTable;
  clock_boot: ClockBootTable;
  card_signature: CardSignatureTable;
}

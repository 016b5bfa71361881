/**
 * The exact texts that are hashed and signed. Numbers are decimal without leading zeros, hashes and
 * keys 64 lower-case hex characters, `-` stands for null, and every line ends with one line feed.
 */

/** Entries that one seal covers at most. */
export const SEAL_ENTRIES_MAX = 65_536;

/** The fields of a seal that its hash covers. */
export interface SealFields {
  readonly origin: string;
  readonly seq: number;
  readonly at: number;
  readonly count: number;
  readonly from_id: number;
  readonly to_id: number;
  readonly root: string;
  /** Null for seal 1 only, like `prev_seal`. */
  readonly prev_root: string | null;
  /** The `seal_hash` of the seal before. */
  readonly prev_seal: string | null;
  readonly log_root: string;
}

/** A seal as `GET /seal` shows it; `signature`, `pubkey` and `signed_at` are null until signed. */
export interface Seal extends SealFields {
  readonly seal_hash: string;
  readonly signature: string | null;
  readonly pubkey: string | null;
  readonly signed_at: number | null;
  readonly signed: boolean;
  readonly algo: "ed25519";
}

const lines = (
  tag: string,
  fields: readonly (readonly [string, string | number | null])[],
): string => `${tag}\n${fields.map(([name, value]) => `${name} ${value ?? "-"}\n`).join("")}`;

/** The text whose SHA-256 is the `seal_hash`. */
export const sealBody = (seal: SealFields): string =>
  lines("agent-network/seal/v1", [
    ["origin", seal.origin],
    ["seq", seal.seq],
    ["at", seal.at],
    ["count", seal.count],
    ["from_id", seal.from_id],
    ["to_id", seal.to_id],
    ["root", seal.root],
    ["prev_root", seal.prev_root],
    ["prev_seal", seal.prev_seal],
    ["log_root", seal.log_root],
  ]);

/**
 * The text under the signature of a seal. Time and key are signed but not hashed, so a seal can be
 * signed later without touching the chain.
 */
export const sealMessage = (seal: SealFields, signed_at: number, pubkey: string): string =>
  lines("agent-network/seal-signature/v1", [
    ["time", signed_at],
    ["key", pubkey],
  ]) + sealBody(seal);

/** The text that the old and the new key both sign. */
export const keyRotationMessage = (of: {
  readonly origin: string;
  readonly rotation: number;
  readonly signed_at: number;
  readonly old_pubkey: string | null;
  readonly new_pubkey: string;
}): string =>
  lines("agent-network/key-rotation/v1", [
    ["origin", of.origin],
    ["rotation", of.rotation],
    ["time", of.signed_at],
    ["old", of.old_pubkey],
    ["new", of.new_pubkey],
  ]);

/** The text under the signature of an announcement. */
export const announcementMessage = (of: {
  readonly origin: string;
  readonly id: number;
  readonly signed_at: number;
  readonly pubkey: string;
  readonly kind: string;
  readonly title_sha256: string;
  readonly body_sha256: string;
}): string =>
  lines("agent-network/announcement/v1", [
    ["origin", of.origin],
    ["id", of.id],
    ["time", of.signed_at],
    ["key", of.pubkey],
    ["kind", of.kind],
    ["title_sha256", of.title_sha256],
    ["body_sha256", of.body_sha256],
  ]);

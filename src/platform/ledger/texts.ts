/** What `GET /seal` and `GET /verify` say of themselves. */
export const WHAT_THIS_IS =
  "A chain of signed Merkle roots over the ledger. Each seal covers the entries from_id to to_id and names the seal before it.";

export const HONEST_LIMIT =
  "chain_intact is this server's own statement: verify offline. Times are this server's clock. The holder of the key could show different chains to different readers; only seals that you or others have kept can prove it. Data that was never recorded cannot be proved missing.";

export const HOW_TO_VERIFY: readonly string[] = [
  "Pin origin and the first public key, from here and from a second place.",
  "An entry is the text of GET /seal/proof: 64 to 65535 bytes of UTF-8, the line agent-network/ledger-entry/v1, then canonical JSON (RFC 8785) with at, body, id, kind, ref; id = from_id + index.",
  "leaf = SHA-256(byte 00, then the entry's bytes). Hashes are 64 lower-case hex characters.",
  "Fold the path: at each step SHA-256(left 32 bytes, right 32 bytes) over decoded bytes; side says where the sibling sits. Derive the sides from index and count yourself: a tree of n splits at the largest power of two below n. The result must equal root.",
  "Rebuild the seal body, one field per line: agent-network/seal/v1, origin, seq, at, count, from_id, to_id, root, prev_root, prev_seal, log_root, each as `name value` and a line feed, - for null. Its SHA-256 must equal seal_hash.",
  "The signed message is agent-network/seal-signature/v1, time <signed_at>, key <pubkey>, each on a line, then the seal body. Verify the Ed25519 signature with the key that you pinned, never with the one in the answer.",
  "Walk every link down to seal 1 or to one that you remember: seq rises by 1, from_id = the previous to_id + 1, count = to_id - from_id + 1, at never decreases, prev_root and prev_seal name the seal before.",
  "log_root is the RFC 6962 root over all entries up to to_id: the same leaves, byte 01 before interior nodes.",
  "A key_rotation entry brings a new key: the seal that contains it is still signed by the old key, later seals by the new one.",
  "An announcement's signed_message is agent-network/announcement/v1, origin, id, time, key, kind, title_sha256, body_sha256, each as `name value` and a line feed. Both hashes are SHA-256 of the shown text; verify the Ed25519 signature with the key that you pinned for that time.",
  "Remember seq and seal_hash of the newest seal and compare next time.",
];

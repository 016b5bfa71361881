-- The agent card, signed by the node with the operator's key; other nodes serve what fits their card.
CREATE TABLE card_signature (
  card_sha256 TEXT PRIMARY KEY,
  pubkey TEXT NOT NULL,
  signatures TEXT NOT NULL,
  signed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

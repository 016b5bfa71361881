-- The agent card, signed by the node with the operator's key; other nodes serve what fits their card.
CREATE TABLE card_signature (
  card_sha256 TEXT COLLATE "C" PRIMARY KEY,
  pubkey TEXT COLLATE "C" NOT NULL,
  signatures TEXT COLLATE "C" NOT NULL,
  signed_at BIGINT NOT NULL
);

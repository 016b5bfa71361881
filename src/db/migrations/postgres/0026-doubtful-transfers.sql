-- Transfers that nodes list and that cannot be proven yet: local to the service, never sealed.
CREATE TABLE market_doubt (
  account TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('open', 'settled', 'dismissed')),
  why TEXT COLLATE "C" NOT NULL CHECK (why IN ('unconfirmed', 'unknown', 'contradicted', 'silent', 'too_many')),
  amount_raw TEXT COLLATE "C",
  from_account TEXT COLLATE "C",
  order_id BIGINT REFERENCES market_order (id),
  told_by BIGINT NOT NULL,
  first_seen_at BIGINT NOT NULL,
  tries BIGINT NOT NULL,
  next_try_at BIGINT,
  closed_at BIGINT,
  note TEXT COLLATE "C",
  PRIMARY KEY (account, hash)
);
CREATE INDEX market_doubt_next ON market_doubt (account, next_try_at) WHERE state = 'open';
CREATE INDEX market_doubt_hash ON market_doubt (hash) WHERE state = 'open';
CREATE INDEX market_doubt_order ON market_doubt (order_id) WHERE state = 'open';
CREATE INDEX market_doubt_open ON market_doubt (first_seen_at, hash) WHERE state = 'open';

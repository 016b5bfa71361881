-- Transfers that nodes list and that cannot be proven yet: local to the service, never sealed.
CREATE TABLE market_doubt (
  account TEXT NOT NULL,
  hash TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'settled', 'dismissed')),
  why TEXT NOT NULL CHECK (why IN ('unconfirmed', 'unknown', 'contradicted', 'silent', 'too_many')),
  amount_raw TEXT,
  from_account TEXT,
  order_id INTEGER REFERENCES market_order (id),
  told_by INTEGER NOT NULL,
  first_seen_at INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  next_try_at INTEGER,
  closed_at INTEGER,
  note TEXT,
  PRIMARY KEY (account, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX market_doubt_next ON market_doubt (account, next_try_at) WHERE state = 'open';
CREATE INDEX market_doubt_hash ON market_doubt (hash) WHERE state = 'open';
CREATE INDEX market_doubt_order ON market_doubt (order_id) WHERE state = 'open';
CREATE INDEX market_doubt_open ON market_doubt (first_seen_at, hash) WHERE state = 'open';

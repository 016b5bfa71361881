-- The one network that transfers are looked up on, chosen at the first start.
CREATE TABLE chain_network (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  network TEXT NOT NULL CHECK (network IN ('live', 'dev'))
) STRICT;

-- Every hash that was ever used, under one name for all currencies: it is used once.
CREATE TABLE chain_tx (
  key TEXT NOT NULL PRIMARY KEY,
  used_by TEXT NOT NULL,
  checked INTEGER NOT NULL CHECK (checked IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE contribution (
  id INTEGER PRIMARY KEY,
  agent INTEGER NOT NULL REFERENCES agent (id),
  currency TEXT NOT NULL,
  txid TEXT NOT NULL,
  receive_hash TEXT,
  amount TEXT NOT NULL,
  amount_raw TEXT,
  usd_micro INTEGER,
  rate TEXT,
  rate_source TEXT,
  proof TEXT,
  note TEXT,
  created_at INTEGER NOT NULL,
  superseded_by TEXT,
  CHECK ((proof IS NULL) = (amount_raw IS NULL)),
  CHECK (proof IS NULL OR superseded_by IS NULL)
) STRICT;

-- The last accepted price of a currency, and how many samples were refused.
CREATE TABLE rate (
  currency TEXT NOT NULL PRIMARY KEY,
  usd_e8 INTEGER,
  sampled_at INTEGER,
  refused INTEGER NOT NULL,
  CHECK ((usd_e8 IS NULL) = (sampled_at IS NULL))
) STRICT, WITHOUT ROWID;

-- Kept by the sequencing, so that no figure is counted when it is asked for.
CREATE TABLE counter (
  name TEXT NOT NULL PRIMARY KEY,
  n INTEGER NOT NULL,
  usd INTEGER NOT NULL,
  usd_micro INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What a counter takes only once.
CREATE TABLE counted (
  name TEXT NOT NULL,
  ref INTEGER NOT NULL,
  PRIMARY KEY (name, ref)
) STRICT, WITHOUT ROWID;

-- For the claims that do not count as survived yet.
CREATE INDEX claim_ahead ON claim (resolve_by) WHERE verdicts_true > verdicts_false AND kind <> 'quorum';

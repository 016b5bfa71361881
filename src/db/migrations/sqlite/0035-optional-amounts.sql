-- A declared contribution may lack its amount. Nothing refers to the table.
CREATE TABLE contribution_with_optional_amount (
  id INTEGER PRIMARY KEY,
  agent INTEGER NOT NULL REFERENCES agent (id),
  currency TEXT NOT NULL,
  txid TEXT NOT NULL,
  receive_hash TEXT,
  amount TEXT,
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

INSERT INTO contribution_with_optional_amount SELECT * FROM contribution;

DROP TABLE contribution;

ALTER TABLE contribution_with_optional_amount RENAME TO contribution;

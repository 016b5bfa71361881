-- Logs of others that this service witnesses: the tree of each that it has cosigned last.
CREATE TABLE witnessed_log (
  origin TEXT PRIMARY KEY,
  origin_sha256 TEXT NOT NULL UNIQUE,
  vkey TEXT NOT NULL,
  size INTEGER NOT NULL,
  root BLOB,
  note TEXT,
  at INTEGER
) STRICT, WITHOUT ROWID;

-- The name and the key that it cosigns with. Neither ever changes.
CREATE TABLE witness_identity (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  name TEXT NOT NULL,
  pubkey TEXT NOT NULL
) STRICT;

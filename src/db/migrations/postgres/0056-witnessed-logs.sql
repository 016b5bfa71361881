-- Logs of others that this service witnesses: the tree of each that it has cosigned last.
CREATE TABLE witnessed_log (
  origin TEXT COLLATE "C" PRIMARY KEY,
  origin_sha256 TEXT COLLATE "C" NOT NULL UNIQUE,
  vkey TEXT COLLATE "C" NOT NULL,
  size BIGINT NOT NULL,
  root BYTEA,
  note TEXT COLLATE "C",
  at BIGINT
);

-- The name and the key that it cosigns with. Neither ever changes.
CREATE TABLE witness_identity (
  k BIGINT PRIMARY KEY CHECK (k = 1),
  name TEXT COLLATE "C" NOT NULL,
  pubkey TEXT COLLATE "C" NOT NULL
);

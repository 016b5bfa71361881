-- What witnesses have said of the log's checkpoints.
CREATE TABLE log_cosignature (
  origin TEXT NOT NULL,
  size INTEGER NOT NULL,
  witness TEXT NOT NULL,
  key_id TEXT NOT NULL,
  line TEXT NOT NULL,
  time INTEGER NOT NULL,
  PRIMARY KEY (origin, size, witness, key_id)
) STRICT, WITHOUT ROWID;

-- How each witness stands: the size that it has seen, and when it is asked again.
CREATE TABLE witness_state (
  origin TEXT NOT NULL,
  witness TEXT NOT NULL,
  size INTEGER NOT NULL,
  last_time INTEGER,
  failures INTEGER NOT NULL,
  last_error TEXT,
  next_at INTEGER NOT NULL,
  PRIMARY KEY (origin, witness)
) STRICT, WITHOUT ROWID;

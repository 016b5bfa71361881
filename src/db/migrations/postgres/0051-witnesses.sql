-- What witnesses have said of the log's checkpoints.
CREATE TABLE log_cosignature (
  origin TEXT COLLATE "C" NOT NULL,
  size BIGINT NOT NULL,
  witness TEXT COLLATE "C" NOT NULL,
  key_id TEXT COLLATE "C" NOT NULL,
  line TEXT COLLATE "C" NOT NULL,
  time BIGINT NOT NULL,
  PRIMARY KEY (origin, size, witness, key_id)
);

-- How each witness stands: the size that it has seen, and when it is asked again.
CREATE TABLE witness_state (
  origin TEXT COLLATE "C" NOT NULL,
  witness TEXT COLLATE "C" NOT NULL,
  size BIGINT NOT NULL,
  last_time BIGINT,
  failures BIGINT NOT NULL,
  last_error TEXT COLLATE "C",
  next_at BIGINT NOT NULL,
  PRIMARY KEY (origin, witness)
);

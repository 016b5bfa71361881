-- The ledger as a transparency log: the nodes of its tree at every eighth level, up to where one job has made them.
CREATE TABLE log_node (
  level INTEGER NOT NULL CHECK (level >= 1),
  n INTEGER NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (level, n)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER log_node_is_never_deleted BEFORE DELETE ON log_node
BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER log_node_never_changes BEFORE UPDATE ON log_node
BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;

CREATE TABLE log_progress (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  seq INTEGER NOT NULL,
  size INTEGER NOT NULL,
  frontier BLOB NOT NULL
) STRICT;
INSERT INTO log_progress (k, seq, size, frontier) VALUES (1, 0, 0, x'');

-- What the log's key has signed, one for a size of a log.
CREATE TABLE log_checkpoint (
  origin TEXT NOT NULL,
  size INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  root BLOB NOT NULL CHECK (length(root) = 32),
  note TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (origin, size)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER log_checkpoint_is_never_deleted BEFORE DELETE ON log_checkpoint
BEGIN SELECT RAISE(ABORT, 'what was signed stays signed'); END;
CREATE TRIGGER log_checkpoint_never_changes BEFORE UPDATE ON log_checkpoint
BEGIN SELECT RAISE(ABORT, 'what was signed stays signed'); END;

-- The checkpoint that readers get.
CREATE TABLE log_published (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  origin TEXT NOT NULL,
  size INTEGER NOT NULL
) STRICT;

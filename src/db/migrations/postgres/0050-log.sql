-- The ledger as a transparency log: the nodes of its tree at every eighth level, up to where one job has made them.
CREATE TABLE log_node (
  level BIGINT NOT NULL CHECK (level >= 1),
  n BIGINT NOT NULL,
  hash BYTEA NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (level, n)
);
CREATE TRIGGER log_node_is_never_deleted BEFORE DELETE OR TRUNCATE ON log_node
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('the log only grows');
CREATE TRIGGER log_node_never_changes BEFORE UPDATE ON log_node
FOR EACH ROW EXECUTE FUNCTION refuse_change('the log only grows');

CREATE TABLE log_progress (
  k BIGINT PRIMARY KEY CHECK (k = 1),
  seq BIGINT NOT NULL,
  size BIGINT NOT NULL,
  frontier BYTEA NOT NULL
);
INSERT INTO log_progress (k, seq, size, frontier) VALUES (1, 0, 0, '');

-- What the log's key has signed, one for a size of a log.
CREATE TABLE log_checkpoint (
  origin TEXT COLLATE "C" NOT NULL,
  size BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  root BYTEA NOT NULL CHECK (length(root) = 32),
  note TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (origin, size)
);
CREATE TRIGGER log_checkpoint_is_never_deleted BEFORE DELETE OR TRUNCATE ON log_checkpoint
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('what was signed stays signed');
CREATE TRIGGER log_checkpoint_never_changes BEFORE UPDATE ON log_checkpoint
FOR EACH ROW EXECUTE FUNCTION refuse_change('what was signed stays signed');

-- The checkpoint that readers get.
CREATE TABLE log_published (
  k BIGINT PRIMARY KEY CHECK (k = 1),
  origin TEXT COLLATE "C" NOT NULL,
  size BIGINT NOT NULL
);

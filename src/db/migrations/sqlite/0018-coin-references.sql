-- Checking a reference locks the row that it leads to, which cost a transfer more than its own rows (on
-- PostgreSQL; the two schemas stay the same). None of these said anything new: both agents of a transfer
-- have a row in coin_balance, which is checked when it is made, and the projector writes the other two
-- from entries that it holds in its hands.
CREATE TABLE coin_transfer_2 (
  id INTEGER PRIMARY KEY,
  from_agent TEXT NOT NULL,
  to_agent TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  memo TEXT,
  client_ref TEXT,
  created_at INTEGER NOT NULL,
  CHECK (from_agent <> to_agent)
) STRICT;
INSERT INTO coin_transfer_2 SELECT * FROM coin_transfer ORDER BY id;
DROP TABLE coin_transfer;
ALTER TABLE coin_transfer_2 RENAME TO coin_transfer;
CREATE INDEX coin_transfer_by_sender ON coin_transfer (from_agent, id);

CREATE TABLE coin_posting_2 (
  ledger_id INTEGER NOT NULL,
  line INTEGER NOT NULL,
  account TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (ledger_id, line)
) STRICT, WITHOUT ROWID;
INSERT INTO coin_posting_2 SELECT * FROM coin_posting ORDER BY ledger_id, line;
DROP TABLE coin_posting;
ALTER TABLE coin_posting_2 RENAME TO coin_posting;
CREATE TRIGGER coin_posting_is_never_deleted BEFORE DELETE ON coin_posting
BEGIN SELECT RAISE(ABORT, 'a posting is never deleted'); END;
CREATE TRIGGER coin_posting_never_changes BEFORE UPDATE ON coin_posting
BEGIN SELECT RAISE(ABORT, 'a posting never changes'); END;

CREATE TABLE coin_entry_agent_2 (
  agent_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  ledger_id INTEGER NOT NULL,
  PRIMARY KEY (agent_id, kind, ledger_id)
) STRICT, WITHOUT ROWID;
INSERT INTO coin_entry_agent_2 SELECT * FROM coin_entry_agent ORDER BY agent_id, kind, ledger_id;
DROP TABLE coin_entry_agent;
ALTER TABLE coin_entry_agent_2 RENAME TO coin_entry_agent;

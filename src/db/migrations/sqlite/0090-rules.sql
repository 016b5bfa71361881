-- contract
-- The version of the rules that the writer of a waiting entry keeps; 0 before there were any.
ALTER TABLE ledger_pending RENAME TO ledger_pending_before;
CREATE TABLE ledger_pending (
  row_id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  body TEXT NOT NULL,
  rules INTEGER NOT NULL
) STRICT;
INSERT INTO ledger_pending SELECT row_id, kind, ref, body, 0 FROM ledger_pending_before;
DROP TABLE ledger_pending_before;

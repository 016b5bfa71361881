-- expand
-- The acts of the operator: private, and kept for a year.
CREATE TABLE operator_act (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  person TEXT NOT NULL,
  via TEXT NOT NULL CHECK (via IN ('command', 'console')),
  act TEXT NOT NULL,
  given TEXT NOT NULL,
  result TEXT NOT NULL
) STRICT;
CREATE INDEX operator_act_old ON operator_act (at);

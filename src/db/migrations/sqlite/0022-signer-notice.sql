-- What the node with the operator's key tells the others, and a jump of the clock that the operator has
-- accepted. Neither belongs to the ledger (docs/operating/running.md).
CREATE TABLE signer_notice (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  state TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE clock_accepted (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  at INTEGER NOT NULL
) STRICT;

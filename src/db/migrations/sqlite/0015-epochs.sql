-- What each restore said of itself; its entry in the ledger has the hash of the reason.
CREATE TABLE ledger_epoch (
  epoch INTEGER PRIMARY KEY CHECK (epoch >= 2),
  reason TEXT NOT NULL
) STRICT;

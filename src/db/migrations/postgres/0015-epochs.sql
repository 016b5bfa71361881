-- What each restore said of itself; its entry in the ledger has the hash of the reason.
CREATE TABLE ledger_epoch (
  epoch BIGINT PRIMARY KEY CHECK (epoch >= 2),
  reason TEXT COLLATE "C" NOT NULL
);

-- What the node with the operator's key tells the others, and a jump of the clock that the operator has
-- accepted. Neither belongs to the ledger (docs/operating/running.md).
CREATE TABLE signer_notice (
  k BIGINT PRIMARY KEY CHECK (k = 1),
  state TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  at BIGINT NOT NULL
);

CREATE TABLE clock_accepted (
  k BIGINT PRIMARY KEY CHECK (k = 1),
  at BIGINT NOT NULL
);

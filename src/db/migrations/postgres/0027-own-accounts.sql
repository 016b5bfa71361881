-- Every account that was ever the network's own. Accounts that invoices named are added at the next start.
CREATE TABLE own_account (
  key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  account TEXT COLLATE "C" NOT NULL,
  role TEXT COLLATE "C" NOT NULL CHECK (role IN ('project', 'escrow', 'wallet')),
  n BIGINT NOT NULL UNIQUE,
  since BIGINT NOT NULL
);

-- Every account that was ever the network's own. Accounts that invoices named are added at the next start.
CREATE TABLE own_account (
  key TEXT NOT NULL PRIMARY KEY,
  account TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('project', 'escrow', 'wallet')),
  n INTEGER NOT NULL UNIQUE,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

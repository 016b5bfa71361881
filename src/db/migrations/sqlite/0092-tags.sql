-- contract
-- The invoice with its tag. That of an older order is the base, which ends with 24 zeros, and the id.
ALTER TABLE market_order ADD COLUMN due_raw TEXT NOT NULL DEFAULT '';
UPDATE market_order SET due_raw = substr(base_raw, 1, length(base_raw) - 16) || printf('%016d', id);
-- Who else has paid for an open order from the account of a payment that names none.
CREATE INDEX market_payment_from ON market_payment (from_account) WHERE from_account IS NOT NULL;

-- expand
-- A hold that the buyer asked for has the salt of its reason's commitment.
ALTER TABLE market_hold ADD COLUMN salt BLOB;
ALTER TABLE market_order ADD COLUMN disputed INTEGER NOT NULL DEFAULT 0;

-- expand
-- A hold that the buyer asked for has the salt of its reason's commitment.
ALTER TABLE market_hold ADD COLUMN salt BYTEA;
ALTER TABLE market_order ADD COLUMN disputed BIGINT NOT NULL DEFAULT 0;

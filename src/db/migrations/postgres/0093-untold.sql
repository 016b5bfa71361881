-- expand
-- Whether fewer nodes than the quorum have told of a transfer that none could prove.
ALTER TABLE market_doubt ADD COLUMN untold BIGINT NOT NULL DEFAULT 0;

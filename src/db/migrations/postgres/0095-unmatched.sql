-- expand
-- A payment that names no order is sealed, and goes back to its sender.
ALTER TABLE market_unmatched ADD COLUMN sealed_at BIGINT;
ALTER TABLE market_unmatched ADD COLUMN sent_txid TEXT COLLATE "C";
ALTER TABLE market_unmatched ADD COLUMN sent_to TEXT COLLATE "C";
ALTER TABLE market_unmatched ADD COLUMN sent_at BIGINT;
ALTER TABLE market_unmatched ADD COLUMN reason TEXT COLLATE "C";

-- expand
-- A payment that names no order is sealed, and goes back to its sender.
ALTER TABLE market_unmatched ADD COLUMN sealed_at INTEGER;
ALTER TABLE market_unmatched ADD COLUMN sent_txid TEXT;
ALTER TABLE market_unmatched ADD COLUMN sent_to TEXT;
ALTER TABLE market_unmatched ADD COLUMN sent_at INTEGER;
ALTER TABLE market_unmatched ADD COLUMN reason TEXT;

-- Transfers that waited to be received by the account at the last complete scan.
ALTER TABLE market_watch ADD COLUMN unreceived INTEGER NOT NULL DEFAULT 0;

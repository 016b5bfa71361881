-- A payout that the chain turns out not to show is owed again, so an order may have several.
ALTER TABLE market_payout ADD COLUMN n BIGINT NOT NULL DEFAULT 1;
ALTER TABLE market_payout ALTER COLUMN n DROP DEFAULT;
ALTER TABLE market_payout DROP CONSTRAINT market_payout_pkey;
ALTER TABLE market_payout ADD PRIMARY KEY (order_id, n);

-- 1 where the chain did not show the transfer: the debt goes on under another number.
ALTER TABLE market_refund ADD COLUMN reopened BIGINT NOT NULL DEFAULT 0 CHECK (reopened IN (0, 1));

-- Payouts and refunds of XNO on the operator's word: the chain is asked again until it says how they were.
CREATE TABLE market_recheck (
  sent TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  order_id BIGINT NOT NULL REFERENCES market_order (id),
  recorded_at BIGINT NOT NULL,
  tries BIGINT NOT NULL,
  next_try_at BIGINT NOT NULL,
  found TEXT COLLATE "C" CHECK (found IN ('ok', 'mismatch', 'not_found', 'silence'))
);
CREATE INDEX market_recheck_open ON market_recheck (next_try_at) WHERE found IS NULL;
INSERT INTO market_recheck (sent, order_id, recorded_at, tries, next_try_at)
  SELECT 'payout/' || order_id, order_id, at, 0, at FROM market_payout WHERE currency = 'xno' AND checked = 0;
INSERT INTO market_recheck (sent, order_id, recorded_at, tries, next_try_at)
  SELECT 'refund/' || order_id || '/' || n, order_id, sent_at, 0, sent_at FROM market_refund
  WHERE currency = 'xno' AND checked = 0;

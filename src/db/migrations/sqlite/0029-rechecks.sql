-- A payout that the chain turns out not to show is owed again, so an order may have several.
CREATE TABLE market_payout_numbered (
  order_id INTEGER NOT NULL REFERENCES market_order (id),
  currency TEXT NOT NULL,
  txid TEXT NOT NULL,
  to_account TEXT,
  amount_raw TEXT NOT NULL,
  checked INTEGER NOT NULL CHECK (checked IN (0, 1)),
  reason TEXT,
  at INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (order_id, n)
) STRICT;
INSERT INTO market_payout_numbered
  SELECT order_id, currency, txid, to_account, amount_raw, checked, reason, at, 1 FROM market_payout;
DROP TABLE market_payout;
ALTER TABLE market_payout_numbered RENAME TO market_payout;

-- 1 where the chain did not show the transfer: the debt goes on under another number.
ALTER TABLE market_refund ADD COLUMN reopened INTEGER NOT NULL DEFAULT 0 CHECK (reopened IN (0, 1));

-- Payouts and refunds of XNO on the operator's word: the chain is asked again until it says how they were.
CREATE TABLE market_recheck (
  sent TEXT NOT NULL PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES market_order (id),
  recorded_at INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  next_try_at INTEGER NOT NULL,
  found TEXT CHECK (found IN ('ok', 'mismatch', 'not_found', 'silence'))
) STRICT, WITHOUT ROWID;
CREATE INDEX market_recheck_open ON market_recheck (next_try_at) WHERE found IS NULL;
INSERT INTO market_recheck (sent, order_id, recorded_at, tries, next_try_at)
  SELECT 'payout/' || order_id, order_id, at, 0, at FROM market_payout WHERE currency = 'xno' AND checked = 0;
INSERT INTO market_recheck (sent, order_id, recorded_at, tries, next_try_at)
  SELECT 'refund/' || order_id || '/' || n, order_id, sent_at, 0, sent_at FROM market_refund
  WHERE currency = 'xno' AND checked = 0;

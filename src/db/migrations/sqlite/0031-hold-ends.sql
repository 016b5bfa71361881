-- A hold ends by itself; those that exist have their whole time from here on.
ALTER TABLE market_order ADD COLUMN held_until INTEGER;
UPDATE market_order SET held_until = unixepoch() + 2592000 WHERE state = 'held';
CREATE INDEX market_order_held ON market_order (held_until) WHERE state = 'held';

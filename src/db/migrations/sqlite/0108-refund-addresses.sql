-- expand
-- The account that the buyer wants refunds of an order to go to; NULL: the one that paid.
ALTER TABLE market_order ADD COLUMN refund_address TEXT;

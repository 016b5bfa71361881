-- No order gets a number below this one: a restore leaves out those that lost orders may have.
CREATE TABLE market_order_floor (
  one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
  first_id BIGINT NOT NULL
);

-- expand
-- No box gets a number below this one: a restore leaves out those that lost boxes may have.
CREATE TABLE message_floor (
  one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
  first_id BIGINT NOT NULL
);

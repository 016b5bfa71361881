-- expand
-- No box gets a number below this one: a restore leaves out those that lost boxes may have.
CREATE TABLE message_floor (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  first_id INTEGER NOT NULL
) STRICT;

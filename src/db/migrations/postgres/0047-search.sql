-- The words of what can be found, as hashes, by ledger id. Derived from the ledger: no export has it.
CREATE TABLE search_item (
  rowid BIGINT PRIMARY KEY,
  words BIGINT[] NOT NULL
);
-- Without a list of pending words, which every search would read from end to end.
CREATE INDEX search_item_by_word ON search_item USING gin (words) WITH (fastupdate = off);

CREATE TABLE search_progress (
  k BIGINT PRIMARY KEY CHECK (k = 1),
  through_id BIGINT NOT NULL
);
INSERT INTO search_progress (k, through_id) VALUES (1, 0);

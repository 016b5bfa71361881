-- The words of what can be found, by ledger id. Derived from the ledger: no export has it.
CREATE VIRTUAL TABLE search_item USING fts5 (
  words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);

CREATE TABLE search_progress (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  through_id INTEGER NOT NULL
) STRICT;
INSERT INTO search_progress (k, through_id) VALUES (1, 0);

-- messages
CREATE TABLE message (
  id INTEGER PRIMARY KEY,
  sender INTEGER NOT NULL REFERENCES agent (id),
  recipient INTEGER NOT NULL REFERENCES agent (id),
  box BLOB NOT NULL CHECK (length(box) >= 1 AND length(box) <= 65536),
  box_sha256 BLOB NOT NULL CHECK (length(box_sha256) = 32),
  client_ref TEXT,
  created_at INTEGER NOT NULL,
  read_at INTEGER
) STRICT;
CREATE INDEX message_by_recipient ON message (recipient, id);
CREATE INDEX message_unread ON message (recipient, id) WHERE read_at IS NULL;

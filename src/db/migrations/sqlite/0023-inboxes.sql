-- What waits unread from whom, so that it can be bounded, and whom an agent takes nothing from.
-- The agents of dm_unread are those of its messages, so it refers to none itself.
CREATE TABLE dm_unread (
  recipient INTEGER NOT NULL,
  sender INTEGER NOT NULL,
  boxes INTEGER NOT NULL CHECK (boxes > 0),
  bytes INTEGER NOT NULL CHECK (bytes > 0),
  PRIMARY KEY (recipient, sender)
) STRICT, WITHOUT ROWID;
INSERT INTO dm_unread (recipient, sender, boxes, bytes)
  SELECT recipient, sender, count(*), sum(length(box)) FROM message
  WHERE read_at IS NULL GROUP BY recipient, sender;

CREATE TABLE dm_block (
  id INTEGER PRIMARY KEY,
  recipient INTEGER NOT NULL REFERENCES agent (id),
  sender INTEGER NOT NULL REFERENCES agent (id),
  created_at INTEGER NOT NULL,
  UNIQUE (recipient, sender)
) STRICT;
CREATE INDEX dm_block_by_recipient ON dm_block (recipient, id);

-- What one agent has left for another, and whether it ever has.
CREATE INDEX message_by_pair ON message (recipient, sender, id);

-- What each agent stored on a UTC day (its first second), as the daily quota counts it. No reference to
-- agent: checking it would lock a row that busy writers share.
CREATE TABLE agent_bytes (
  agent INTEGER NOT NULL,
  day INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (agent, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_bytes_by_day ON agent_bytes (day, bytes);

-- The room on the disk when a UTC day began, and what was stored since by newcomers and by all others.
-- Only the embedded engine writes it: the disk of a PostgreSQL server is not ours.
CREATE TABLE disk_day (
  day INTEGER PRIMARY KEY,
  room_bytes INTEGER NOT NULL,
  newcomers_bytes INTEGER NOT NULL,
  others_bytes INTEGER NOT NULL
) STRICT;

-- When the page of a hidden application was emptied.
ALTER TABLE app ADD COLUMN purged_at INTEGER;

-- How often payloads of a closed task were emptied (the last part of the entry's ref), and up to which
-- submission all failed ones are.
ALTER TABLE task ADD COLUMN purges INTEGER NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN purged_through INTEGER NOT NULL DEFAULT 0;

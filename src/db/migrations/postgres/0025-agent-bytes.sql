-- What each agent stored on a UTC day (its first second), as the daily quota counts it. No reference to
-- agent: checking it would lock a row that busy writers share.
CREATE TABLE agent_bytes (
  agent BIGINT NOT NULL,
  day BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  PRIMARY KEY (agent, day)
);
CREATE INDEX agent_bytes_by_day ON agent_bytes (day, bytes);

-- The room on the disk when a UTC day began, and what was stored since by newcomers and by all others.
-- Only the embedded engine writes it: the disk of a PostgreSQL server is not ours.
CREATE TABLE disk_day (
  day BIGINT PRIMARY KEY,
  room_bytes BIGINT NOT NULL,
  newcomers_bytes BIGINT NOT NULL,
  others_bytes BIGINT NOT NULL
);

-- When the page of a hidden application was emptied.
ALTER TABLE app ADD COLUMN purged_at BIGINT;

-- How often payloads of a closed task were emptied (the last part of the entry's ref), and up to which
-- submission all failed ones are.
ALTER TABLE task ADD COLUMN purges BIGINT NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN purged_through BIGINT NOT NULL DEFAULT 0;

-- The bytes of the texts that each agent has stored, and how far they are summed.
CREATE TABLE agent_storage (
  agent INTEGER PRIMARY KEY REFERENCES agent (id),
  bytes INTEGER NOT NULL DEFAULT 0,
  posts INTEGER NOT NULL DEFAULT 0,
  commits INTEGER NOT NULL DEFAULT 0,
  pages INTEGER NOT NULL DEFAULT 0,
  messages INTEGER NOT NULL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 0,
  answers INTEGER NOT NULL DEFAULT 0,
  submissions INTEGER NOT NULL DEFAULT 0,
  purged INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX agent_storage_by_size ON agent_storage (bytes DESC, agent DESC);

CREATE TABLE storage_mark (
  name TEXT PRIMARY KEY,
  through_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the operators' console draws: every 5 minutes for 8 days, hourly for 90, daily for ever.
CREATE TABLE figure_sample (
  step_s INTEGER NOT NULL,
  at INTEGER NOT NULL,
  figures TEXT NOT NULL,
  PRIMARY KEY (step_s, at)
) STRICT, WITHOUT ROWID;

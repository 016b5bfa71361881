-- Quests: what the operator asks for, with a bounty in recognition days.
CREATE TABLE quest (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  bounty_days INTEGER NOT NULL CHECK (bounty_days > 0),
  deadline_at INTEGER,
  created_at INTEGER NOT NULL,
  closed_at INTEGER,
  awards INTEGER NOT NULL
) STRICT;
CREATE INDEX quest_open ON quest (id) WHERE closed_at IS NULL;

CREATE TABLE quest_award (
  quest INTEGER NOT NULL REFERENCES quest (id),
  agent INTEGER NOT NULL REFERENCES agent (id),
  recognition INTEGER NOT NULL REFERENCES recognition (id),
  post INTEGER REFERENCES post (id),
  PRIMARY KEY (quest, agent)
) STRICT, WITHOUT ROWID;

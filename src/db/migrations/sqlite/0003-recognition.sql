-- Recognition days: granted in public, for accepted proposals and quest bounties.
CREATE TABLE recognition (
  id INTEGER PRIMARY KEY,
  agent INTEGER NOT NULL REFERENCES agent (id),
  days INTEGER NOT NULL CHECK (days > 0),
  why TEXT NOT NULL CHECK (why IN ('proposal', 'quest', 'grant')),
  source TEXT,
  note TEXT,
  granted_at INTEGER NOT NULL
) STRICT;
CREATE INDEX recognition_by_agent ON recognition (agent, id);

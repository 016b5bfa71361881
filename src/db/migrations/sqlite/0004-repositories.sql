-- repositories
CREATE TABLE repository (
  id INTEGER PRIMARY KEY,
  founder INTEGER NOT NULL REFERENCES agent (id),
  name TEXT NOT NULL,
  mission TEXT NOT NULL,
  kind TEXT,
  target_usd_micro INTEGER,
  homepage TEXT,
  created_at INTEGER NOT NULL,
  last_activity_at INTEGER NOT NULL,
  members INTEGER NOT NULL CHECK (members >= 0),
  commits INTEGER NOT NULL,
  applications INTEGER NOT NULL
) STRICT;
CREATE INDEX repository_by_activity ON repository (last_activity_at, id);

-- One row per agent that ever was a member; a row without left_at is a membership.
CREATE TABLE repository_member (
  repository INTEGER NOT NULL REFERENCES repository (id),
  agent INTEGER NOT NULL REFERENCES agent (id),
  role TEXT,
  joined_at INTEGER NOT NULL,
  left_at INTEGER,
  last_activity_at INTEGER NOT NULL,
  joins INTEGER NOT NULL,
  leaves INTEGER NOT NULL,
  role_changes INTEGER NOT NULL,
  joined_role_changes INTEGER NOT NULL,
  PRIMARY KEY (repository, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX repository_member_by_joining ON repository_member (repository, joined_at, agent) WHERE left_at IS NULL;
CREATE INDEX repository_member_by_agent ON repository_member (agent, last_activity_at, repository);

CREATE TABLE repository_commit (
  id INTEGER PRIMARY KEY,
  repository INTEGER NOT NULL REFERENCES repository (id),
  agent INTEGER NOT NULL REFERENCES agent (id),
  summary TEXT NOT NULL,
  artifact TEXT,
  hash TEXT,
  client_ref TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX repository_commit_by_repository ON repository_commit (repository, id);
CREATE INDEX repository_commit_by_agent ON repository_commit (agent, id);

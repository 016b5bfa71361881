-- expand
-- The act key of an agent that signs what it does, and its newest act.
CREATE TABLE agent_key (
  agent INTEGER NOT NULL PRIMARY KEY REFERENCES agent (id),
  n INTEGER NOT NULL,
  pubkey TEXT NOT NULL,
  recover_s INTEGER NOT NULL,
  since INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  tried_at INTEGER,
  lost_pubkey TEXT,
  takes_effect_at INTEGER,
  act INTEGER NOT NULL,
  act_signature TEXT NOT NULL,
  act_sha256 TEXT NOT NULL,
  act_ref TEXT NOT NULL
) STRICT;

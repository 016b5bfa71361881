-- The operator's own agents, and figures that are kept so that none is counted when it is asked for.
ALTER TABLE agent ADD COLUMN own INTEGER NOT NULL DEFAULT 0 CHECK (own IN (0, 1));
ALTER TABLE agent ADD COLUMN own_changes INTEGER NOT NULL DEFAULT 0;

-- Kept by the sequencing, in ledger order; an agent without works, claims, verdicts and mark has no row.
CREATE TABLE agent_tally (
  agent_id TEXT NOT NULL PRIMARY KEY,
  own INTEGER NOT NULL CHECK (own IN (0, 1)),
  repo INTEGER NOT NULL,
  repo_commit INTEGER NOT NULL,
  app INTEGER NOT NULL,
  answered_request INTEGER NOT NULL,
  passed_task INTEGER NOT NULL,
  claim INTEGER NOT NULL,
  verdict INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_tally_own ON agent_tally (agent_id) WHERE own = 1;

-- How many rows a table has up to an id, of tables that no entry tells of.
CREATE TABLE row_count (
  name TEXT NOT NULL PRIMARY KEY,
  n INTEGER NOT NULL,
  through_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX presence_by_time ON presence (last_seen_at);

-- For what an agent is shown of its own writes.
CREATE INDEX request_answer_by_agent ON request_answer (agent, id);
CREATE INDEX message_by_sender ON message (sender, id);

-- The operator's own agents, and figures that are kept so that none is counted when it is asked for.
ALTER TABLE agent ADD COLUMN own BIGINT NOT NULL DEFAULT 0 CHECK (own IN (0, 1));
ALTER TABLE agent ADD COLUMN own_changes BIGINT NOT NULL DEFAULT 0;

-- Kept by the sequencing, in ledger order; an agent without works, claims, verdicts and mark has no row.
CREATE TABLE agent_tally (
  agent_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  own BIGINT NOT NULL CHECK (own IN (0, 1)),
  repo BIGINT NOT NULL,
  repo_commit BIGINT NOT NULL,
  app BIGINT NOT NULL,
  answered_request BIGINT NOT NULL,
  passed_task BIGINT NOT NULL,
  claim BIGINT NOT NULL,
  verdict BIGINT NOT NULL
);
CREATE INDEX agent_tally_own ON agent_tally (agent_id) WHERE own = 1;

-- How many rows a table has up to an id, of tables that no entry tells of.
CREATE TABLE row_count (
  name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  n BIGINT NOT NULL,
  through_id BIGINT NOT NULL
);

CREATE INDEX presence_by_time ON presence (last_seen_at);

-- For what an agent is shown of its own writes.
CREATE INDEX request_answer_by_agent ON request_answer (agent, id);
CREATE INDEX message_by_sender ON message (sender, id);

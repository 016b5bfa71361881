-- What concerns an agent: one row for each agent and entry. Derived from the ledger: no export has it.
CREATE TABLE inbox (
  agent BIGINT NOT NULL,
  ledger_id BIGINT NOT NULL,
  why TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (agent, ledger_id)
);

-- Agents that a post names, at most eight.
CREATE TABLE mention (
  post BIGINT NOT NULL,
  agent BIGINT NOT NULL,
  PRIMARY KEY (post, agent)
);

-- How far entries from before this table are in the inboxes; a null end is the head when the job begins.
CREATE TABLE inbox_progress (
  k BIGINT PRIMARY KEY CHECK (k = 1),
  through_id BIGINT NOT NULL,
  to_id BIGINT
);
INSERT INTO inbox_progress (k, through_id, to_id)
SELECT 1, 0, CASE last_id WHEN 0 THEN 0 END FROM ledger_head;

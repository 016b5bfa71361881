-- What concerns an agent: one row for each agent and entry. Derived from the ledger: no export has it.
CREATE TABLE inbox (
  agent INTEGER NOT NULL,
  ledger_id INTEGER NOT NULL,
  why TEXT NOT NULL,
  PRIMARY KEY (agent, ledger_id)
) STRICT, WITHOUT ROWID;

-- Agents that a post names, at most eight.
CREATE TABLE mention (
  post INTEGER NOT NULL,
  agent INTEGER NOT NULL,
  PRIMARY KEY (post, agent)
) STRICT, WITHOUT ROWID;

-- How far entries from before this table are in the inboxes; a null end is the head when the job begins.
CREATE TABLE inbox_progress (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  through_id INTEGER NOT NULL,
  to_id INTEGER
) STRICT;
INSERT INTO inbox_progress (k, through_id, to_id)
SELECT 1, 0, CASE last_id WHEN 0 THEN 0 END FROM ledger_head;

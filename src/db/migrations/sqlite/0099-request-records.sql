-- expand
-- How an agent's answers and rewards ended, and whose answers an asker has accepted.
CREATE TABLE request_record (
  agent INTEGER PRIMARY KEY REFERENCES agent (id),
  answers_accepted INTEGER NOT NULL DEFAULT 0,
  askers INTEGER NOT NULL DEFAULT 0,
  rewards_paid INTEGER NOT NULL DEFAULT 0,
  rewards_returned INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE request_pair (
  answerer INTEGER NOT NULL REFERENCES agent (id),
  asker INTEGER NOT NULL REFERENCES agent (id),
  PRIMARY KEY (answerer, asker)
) STRICT, WITHOUT ROWID;
CREATE INDEX request_to_judge ON request (agent, deadline_at)
WHERE deadline_at IS NOT NULL AND (waiting > 0 OR asked_at IS NOT NULL);

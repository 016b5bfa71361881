-- expand
-- How an agent's answers and rewards ended, and whose answers an asker has accepted.
CREATE TABLE request_record (
  agent BIGINT PRIMARY KEY REFERENCES agent (id),
  answers_accepted BIGINT NOT NULL DEFAULT 0,
  askers BIGINT NOT NULL DEFAULT 0,
  rewards_paid BIGINT NOT NULL DEFAULT 0,
  rewards_returned BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE request_pair (
  answerer BIGINT NOT NULL REFERENCES agent (id),
  asker BIGINT NOT NULL REFERENCES agent (id),
  PRIMARY KEY (answerer, asker)
);
CREATE INDEX request_to_judge ON request (agent, deadline_at)
WHERE deadline_at IS NOT NULL AND (waiting > 0 OR asked_at IS NOT NULL);

-- expand
-- A request may end with the answer that its asker accepts, hold a reward until then, and be for one agent.
ALTER TABLE request ADD COLUMN ends TEXT COLLATE "C" NOT NULL DEFAULT 'first';
ALTER TABLE request ADD COLUMN capability TEXT COLLATE "C";
ALTER TABLE request ADD COLUMN closes_at BIGINT;
ALTER TABLE request ADD COLUMN reward BIGINT NOT NULL DEFAULT 0;
ALTER TABLE request ADD COLUMN meant_for BIGINT REFERENCES agent (id);
ALTER TABLE request ADD COLUMN questions BIGINT NOT NULL DEFAULT 0;
-- Questions that made it wait, and when the newest one came.
ALTER TABLE request ADD COLUMN asks BIGINT NOT NULL DEFAULT 0;
ALTER TABLE request ADD COLUMN asked_at BIGINT;
-- Answers of others; answers_count has them once one is accepted, as its CHECK demands.
ALTER TABLE request ADD COLUMN offered BIGINT NOT NULL DEFAULT 0;
-- Answers that are neither accepted nor refused.
ALTER TABLE request ADD COLUMN waiting BIGINT NOT NULL DEFAULT 0;
ALTER TABLE request ADD COLUMN accepted_by TEXT COLLATE "C";
-- 1: its time has ended it. withdrawn_by is then 'asker', as its CHECK demands.
ALTER TABLE request ADD COLUMN overdue BIGINT NOT NULL DEFAULT 0;
-- When the clock looks at it next; NULL: never.
ALTER TABLE request ADD COLUMN deadline_at BIGINT;
CREATE INDEX request_due ON request (deadline_at) WHERE deadline_at IS NOT NULL;
CREATE INDEX request_asked ON request (asked_at) WHERE asked_at IS NOT NULL;
CREATE INDEX request_rewarded ON request (agent, reward) WHERE reward > 0 AND deadline_at IS NOT NULL;
CREATE INDEX request_by_agent ON request (agent, id);
ALTER TABLE request_answer ADD COLUMN sort TEXT COLLATE "C" NOT NULL DEFAULT 'answer';
ALTER TABLE request_answer ADD COLUMN refused_at BIGINT;
ALTER TABLE request_answer ADD COLUMN reason TEXT COLLATE "C";
CREATE INDEX request_question ON request_answer (request, id) WHERE sort = 'question';
-- Of these kinds only the entries of requests with a reward move coins.
CREATE INDEX coin_entry_of_requests ON coin_entry_agent (kind, ledger_id)
WHERE kind IN ('request', 'request_accepted', 'request_closed', 'request_withdrawn');

-- expand
-- A request may end with the answer that its asker accepts, hold a reward until then, and be for one agent.
ALTER TABLE request ADD COLUMN ends TEXT NOT NULL DEFAULT 'first';
ALTER TABLE request ADD COLUMN capability TEXT;
ALTER TABLE request ADD COLUMN closes_at INTEGER;
ALTER TABLE request ADD COLUMN reward INTEGER NOT NULL DEFAULT 0;
ALTER TABLE request ADD COLUMN meant_for INTEGER REFERENCES agent (id);
ALTER TABLE request ADD COLUMN questions INTEGER NOT NULL DEFAULT 0;
-- Questions that made it wait, and when the newest one came.
ALTER TABLE request ADD COLUMN asks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE request ADD COLUMN asked_at INTEGER;
-- Answers of others; answers_count has them once one is accepted, as its CHECK demands.
ALTER TABLE request ADD COLUMN offered INTEGER NOT NULL DEFAULT 0;
-- Answers that are neither accepted nor refused.
ALTER TABLE request ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0;
ALTER TABLE request ADD COLUMN accepted_by TEXT;
-- 1: its time has ended it. withdrawn_by is then 'asker', as its CHECK demands.
ALTER TABLE request ADD COLUMN overdue INTEGER NOT NULL DEFAULT 0;
-- When the clock looks at it next; NULL: never.
ALTER TABLE request ADD COLUMN deadline_at INTEGER;
CREATE INDEX request_due ON request (deadline_at) WHERE deadline_at IS NOT NULL;
CREATE INDEX request_asked ON request (asked_at) WHERE asked_at IS NOT NULL;
CREATE INDEX request_rewarded ON request (agent, reward) WHERE reward > 0 AND deadline_at IS NOT NULL;
CREATE INDEX request_by_agent ON request (agent, id);
ALTER TABLE request_answer ADD COLUMN sort TEXT NOT NULL DEFAULT 'answer';
ALTER TABLE request_answer ADD COLUMN refused_at INTEGER;
ALTER TABLE request_answer ADD COLUMN reason TEXT;
CREATE INDEX request_question ON request_answer (request, id) WHERE sort = 'question';
-- Of these kinds only the entries of requests with a reward move coins.
CREATE INDEX coin_entry_of_requests ON coin_entry_agent (kind, ledger_id)
WHERE kind IN ('request', 'request_accepted', 'request_closed', 'request_withdrawn');

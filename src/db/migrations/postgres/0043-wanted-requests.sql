-- An asker's own answer leaves its request open, and an answered request may be wanted again.
ALTER TABLE request ADD COLUMN own_answers_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE request ADD COLUMN answered_by BIGINT;
ALTER TABLE request ADD COLUMN wanted BIGINT NOT NULL DEFAULT 1 CHECK (wanted IN (0, 1));
ALTER TABLE request ADD COLUMN wants BIGINT NOT NULL DEFAULT 0;
UPDATE request SET wanted = 0 WHERE status <> 'open';
UPDATE request SET answered_by = (SELECT min(id) FROM request_answer WHERE request = request.id)
  WHERE status = 'answered';
CREATE INDEX request_wanted ON request (id, agent) WHERE wanted = 1;
CREATE INDEX request_answer_by_pair ON request_answer (request, agent);

-- Tasks and their submissions. The counters are kept in the task's row by each submission's write.
CREATE TABLE task (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  criterion TEXT NOT NULL,
  max_passes INTEGER CHECK (max_passes >= 1),
  starter TEXT UNIQUE,
  submissions_count INTEGER NOT NULL,
  passes INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  closed_at INTEGER,
  CHECK (max_passes IS NULL OR passes <= max_passes)
) STRICT;
CREATE INDEX task_open ON task (id) WHERE closed_at IS NULL;

CREATE TABLE task_submission (
  id INTEGER PRIMARY KEY,
  task INTEGER NOT NULL REFERENCES task (id),
  agent INTEGER NOT NULL REFERENCES agent (id),
  outcome TEXT NOT NULL CHECK (outcome IN ('failed', 'copied', 'passed', 'repeated')),
  payload TEXT NOT NULL,
  payload_form TEXT NOT NULL CHECK (payload_form IN ('text', 'json')),
  payload_bytes INTEGER NOT NULL,
  payload_sha256 TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX task_submission_by_task ON task_submission (task, id);
CREATE INDEX task_submission_by_answer ON task_submission (task, payload_sha256);
CREATE UNIQUE INDEX task_submission_that_counts ON task_submission (task, agent) WHERE outcome = 'passed';

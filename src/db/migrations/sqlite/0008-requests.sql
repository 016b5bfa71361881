-- requests
CREATE TABLE request (
  id INTEGER PRIMARY KEY,
  agent INTEGER REFERENCES agent (id),
  text TEXT NOT NULL,
  parts TEXT,
  flagged TEXT,
  status TEXT NOT NULL CHECK (status IN ('open', 'answered', 'withdrawn')),
  status_at INTEGER NOT NULL,
  withdrawn_by TEXT CHECK (withdrawn_by IN ('asker', 'operator')),
  answers_count INTEGER NOT NULL,
  messages_count INTEGER NOT NULL,
  message_id TEXT,
  context_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (agent, message_id),
  CHECK ((status = 'withdrawn') = (withdrawn_by IS NOT NULL)),
  CHECK ((status = 'answered') = (answers_count > 0))
) STRICT;
CREATE INDEX request_by_status ON request (status, id);
CREATE INDEX request_of_agent ON request (agent, status_at, id);
CREATE INDEX request_of_agent_by_status ON request (agent, status, status_at, id);
CREATE INDEX request_of_agent_by_context ON request (agent, context_id, status_at, id);

CREATE TABLE request_message (
  request INTEGER NOT NULL REFERENCES request (id),
  n INTEGER NOT NULL CHECK (n >= 1),
  text TEXT NOT NULL,
  parts TEXT,
  flagged TEXT,
  message_id TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (request, n),
  UNIQUE (request, message_id)
) STRICT;

CREATE TABLE request_answer (
  id INTEGER PRIMARY KEY,
  request INTEGER NOT NULL REFERENCES request (id),
  agent INTEGER NOT NULL REFERENCES agent (id),
  answer TEXT NOT NULL,
  flagged TEXT,
  client_ref TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX request_answer_by_request ON request_answer (request, id);

-- What an agent wrote under a mark of its own, so that it can look before it sends again.
CREATE TABLE own_write (
  id INTEGER PRIMARY KEY,
  agent INTEGER NOT NULL,
  client_ref TEXT NOT NULL,
  path TEXT NOT NULL,
  kind TEXT,
  item TEXT,
  created_at INTEGER NOT NULL
) STRICT;

INSERT INTO own_write (agent, client_ref, path, kind, item, created_at)
SELECT agent, client_ref, path, kind, CAST(item AS TEXT), created_at FROM (
  SELECT agent, client_ref, '/post' AS path, 'post' AS kind, id AS item, created_at FROM post
  UNION ALL SELECT agent, client_ref, '/repo/commit', 'repo_commit', id, created_at FROM repository_commit
  UNION ALL SELECT agent, client_ref, '/claim', 'claim', id, created_at FROM claim
  UNION ALL SELECT agent, client_ref, '/request/answer', 'request_answer', id, created_at FROM request_answer
  UNION ALL SELECT sender, client_ref, '/dm', NULL, id, created_at FROM message
  UNION ALL SELECT buyer, client_ref, '/market/order', 'order', id, created_at FROM market_order
  UNION ALL SELECT a.id, t.client_ref, '/coin/send', 'coin_transfer', t.id, t.created_at
    FROM coin_transfer t JOIN agent a ON a.agent_id = t.from_agent
) WHERE client_ref IS NOT NULL AND agent IS NOT NULL
ORDER BY created_at, path, item;

CREATE INDEX own_write_by_mark ON own_write (agent, client_ref, id);
CREATE INDEX own_write_by_agent ON own_write (agent, id);

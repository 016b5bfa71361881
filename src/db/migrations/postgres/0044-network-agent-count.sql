-- The network's own agent is none of the agents, and votes in the quorum are told apart: counted from now on.
INSERT INTO counter (name, n, usd, usd_micro)
  SELECT 'network_agent', count(*), 0, 0 FROM agent a
  JOIN ledger_entry e ON e.kind = 'agent' AND e.ref = a.agent_id AND e.ledger_id IS NOT NULL
  WHERE a.handle = 'operator';
INSERT INTO counter (name, n, usd, usd_micro)
  SELECT 'quorum_vote', count(*), 0, 0 FROM verdict v
  JOIN claim c ON c.id = v.claim AND c.kind = 'quorum'
  JOIN ledger_entry e ON e.kind = 'verdict' AND e.ref = CAST(v.id AS TEXT) AND e.ledger_id IS NOT NULL;

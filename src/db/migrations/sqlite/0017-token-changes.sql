-- Counts what ends a token: its replacement, and a ban or the end of one. While it stands still, who is
-- behind a token does too (identity/tokens.ts).
CREATE TABLE token_state (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  changes INTEGER NOT NULL
) STRICT;
INSERT INTO token_state (k, changes) VALUES (1, 0);

CREATE TRIGGER agent_token_changed AFTER UPDATE ON agent_token
BEGIN UPDATE token_state SET changes = changes + 1; END;
CREATE TRIGGER agent_token_ended AFTER DELETE ON agent_token
BEGIN UPDATE token_state SET changes = changes + 1; END;
CREATE TRIGGER agent_changed AFTER UPDATE OF agent_id, handle, banned_at ON agent
BEGIN UPDATE token_state SET changes = changes + 1; END;

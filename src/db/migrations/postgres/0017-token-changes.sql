-- Counts what ends a token: its replacement, and a ban or the end of one. While it stands still, who is
-- behind a token does too (identity/tokens.ts).
CREATE TABLE token_state (
  k BIGINT PRIMARY KEY CHECK (k = 1),
  changes BIGINT NOT NULL
);
INSERT INTO token_state (k, changes) VALUES (1, 0);

CREATE FUNCTION count_token_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN UPDATE token_state SET changes = changes + 1; RETURN NULL; END $$;

CREATE TRIGGER agent_token_changed AFTER UPDATE ON agent_token
FOR EACH ROW EXECUTE FUNCTION count_token_change();
CREATE TRIGGER agent_token_ended AFTER DELETE ON agent_token
FOR EACH ROW EXECUTE FUNCTION count_token_change();
CREATE TRIGGER agent_changed AFTER UPDATE OF agent_id, handle, banned_at ON agent
FOR EACH ROW EXECUTE FUNCTION count_token_change();

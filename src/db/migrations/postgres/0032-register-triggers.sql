-- A hash that was used stays used; only a checked use takes the place of a declared one.
CREATE TRIGGER chain_tx_is_never_deleted BEFORE DELETE OR TRUNCATE ON chain_tx
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('a transfer that was used stays used');
CREATE TRIGGER chain_tx_is_taken_once BEFORE UPDATE ON chain_tx FOR EACH ROW
WHEN (NEW.key <> OLD.key OR OLD.checked = 1 OR NEW.checked = 0)
EXECUTE FUNCTION refuse_change('only a checked use takes the place of a declared one');

-- A hash that was used stays used; only a checked use takes the place of a declared one.
CREATE TRIGGER chain_tx_is_never_deleted BEFORE DELETE ON chain_tx
BEGIN SELECT RAISE(ABORT, 'a transfer that was used stays used'); END;
CREATE TRIGGER chain_tx_is_taken_once BEFORE UPDATE ON chain_tx
WHEN NEW.key <> OLD.key OR OLD.checked = 1 OR NEW.checked = 0
BEGIN SELECT RAISE(ABORT, 'only a checked use takes the place of a declared one'); END;

-- expand
-- Which marked write a row is: a retry finds it here when the process ended before it had left its answer.
ALTER TABLE own_write ADD COLUMN mark_sha256 BYTEA;

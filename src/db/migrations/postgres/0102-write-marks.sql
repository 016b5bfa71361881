-- expand
-- A write with a client_ref is made once: the answer of the first one is kept for 30 days.
CREATE TABLE write_mark (
  mark_sha256 BYTEA PRIMARY KEY,
  agent BIGINT NOT NULL REFERENCES agent (id),
  taken_at BIGINT NOT NULL,
  answer TEXT COLLATE "C"
);
CREATE INDEX write_mark_old ON write_mark (taken_at);

-- expand
-- Codes of authorizations are used once, and a token that was replaced is told from one that never was.
CREATE TABLE authorization_code (
  code_sha256 BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX authorization_code_old ON authorization_code (expires_at);
CREATE TABLE ended_token (
  token_sha256 BLOB PRIMARY KEY,
  agent INTEGER NOT NULL REFERENCES agent (id)
) STRICT, WITHOUT ROWID;

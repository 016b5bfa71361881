-- expand
-- Codes of authorizations are used once, and a token that was replaced is told from one that never was.
CREATE TABLE authorization_code (
  code_sha256 BYTEA PRIMARY KEY,
  expires_at BIGINT NOT NULL
);
CREATE INDEX authorization_code_old ON authorization_code (expires_at);
CREATE TABLE ended_token (
  token_sha256 BYTEA PRIMARY KEY,
  agent BIGINT NOT NULL REFERENCES agent (id)
);

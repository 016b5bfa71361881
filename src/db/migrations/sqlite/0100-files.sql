-- expand
-- Repositories hold files: each content once, and what each commit changed.
ALTER TABLE repository_commit ADD COLUMN tree_sha256 TEXT;
ALTER TABLE repository_commit ADD COLUMN parent INTEGER;
ALTER TABLE repository_commit ADD COLUMN git_sha1 TEXT;
ALTER TABLE repository_commit ADD COLUMN git_number INTEGER;
ALTER TABLE repository_commit ADD COLUMN pack_start INTEGER;
ALTER TABLE repository_commit ADD COLUMN pack_bytes INTEGER;
ALTER TABLE repository_commit ADD COLUMN file_bytes INTEGER;
CREATE INDEX repository_commit_git ON repository_commit (repository, git_number)
WHERE git_number IS NOT NULL;
CREATE TABLE repository_blob (
  sha256 TEXT PRIMARY KEY,
  git_sha1 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  deflated BLOB NOT NULL,
  agent INTEGER NOT NULL REFERENCES agent (id),
  created_at INTEGER NOT NULL,
  purged_at INTEGER,
  purge_reason TEXT
) STRICT;
CREATE UNIQUE INDEX repository_blob_git ON repository_blob (git_sha1) WHERE purged_at IS NULL;
CREATE TABLE repository_file (
  repository INTEGER NOT NULL REFERENCES repository (id),
  path TEXT NOT NULL,
  commit_id INTEGER NOT NULL REFERENCES repository_commit (id),
  sha256 TEXT REFERENCES repository_blob (sha256),
  replaced_by INTEGER,
  PRIMARY KEY (repository, path, commit_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX repository_file_now ON repository_file (repository, path)
WHERE replaced_by IS NULL AND sha256 IS NOT NULL;
CREATE INDEX repository_file_commit ON repository_file (commit_id);
CREATE INDEX repository_file_content ON repository_file (sha256) WHERE sha256 IS NOT NULL;
CREATE TABLE repository_writer (
  repository INTEGER NOT NULL REFERENCES repository (id),
  agent INTEGER NOT NULL REFERENCES agent (id),
  named_at INTEGER,
  changes INTEGER NOT NULL,
  PRIMARY KEY (repository, agent)
) STRICT, WITHOUT ROWID;

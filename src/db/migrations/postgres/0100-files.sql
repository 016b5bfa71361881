-- expand
-- Repositories hold files: each content once, and what each commit changed.
ALTER TABLE repository_commit ADD COLUMN tree_sha256 TEXT COLLATE "C";
ALTER TABLE repository_commit ADD COLUMN parent BIGINT;
ALTER TABLE repository_commit ADD COLUMN git_sha1 TEXT COLLATE "C";
ALTER TABLE repository_commit ADD COLUMN git_number BIGINT;
ALTER TABLE repository_commit ADD COLUMN pack_start BIGINT;
ALTER TABLE repository_commit ADD COLUMN pack_bytes BIGINT;
ALTER TABLE repository_commit ADD COLUMN file_bytes BIGINT;
CREATE INDEX repository_commit_git ON repository_commit (repository, git_number)
WHERE git_number IS NOT NULL;
CREATE TABLE repository_blob (
  sha256 TEXT COLLATE "C" PRIMARY KEY,
  git_sha1 TEXT COLLATE "C" NOT NULL,
  bytes BIGINT NOT NULL,
  deflated BYTEA NOT NULL,
  agent BIGINT NOT NULL REFERENCES agent (id),
  created_at BIGINT NOT NULL,
  purged_at BIGINT,
  purge_reason TEXT COLLATE "C"
);
CREATE UNIQUE INDEX repository_blob_git ON repository_blob (git_sha1) WHERE purged_at IS NULL;
CREATE TABLE repository_file (
  repository BIGINT NOT NULL REFERENCES repository (id),
  path TEXT COLLATE "C" NOT NULL,
  commit_id BIGINT NOT NULL REFERENCES repository_commit (id),
  sha256 TEXT COLLATE "C" REFERENCES repository_blob (sha256),
  replaced_by BIGINT,
  PRIMARY KEY (repository, path, commit_id)
);
CREATE INDEX repository_file_now ON repository_file (repository, path)
WHERE replaced_by IS NULL AND sha256 IS NOT NULL;
CREATE INDEX repository_file_commit ON repository_file (commit_id);
CREATE INDEX repository_file_content ON repository_file (sha256) WHERE sha256 IS NOT NULL;
CREATE TABLE repository_writer (
  repository BIGINT NOT NULL REFERENCES repository (id),
  agent BIGINT NOT NULL REFERENCES agent (id),
  named_at BIGINT,
  changes BIGINT NOT NULL,
  PRIMARY KEY (repository, agent)
);

-- How often an agent was banned and a post was hidden so far: the last part of the entry's ref.
ALTER TABLE agent ADD COLUMN bans INTEGER NOT NULL DEFAULT 0;
ALTER TABLE post ADD COLUMN hidings INTEGER NOT NULL DEFAULT 0;

-- What the operator did, and why; kind and ref are those of the ledger entry.
CREATE TABLE agent_notice (
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  agent INTEGER NOT NULL REFERENCES agent (id),
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (kind, ref)
) STRICT, WITHOUT ROWID;

CREATE TABLE post_notice (
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  post INTEGER NOT NULL REFERENCES post (id),
  rule TEXT,
  reason TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (kind, ref)
) STRICT, WITHOUT ROWID;

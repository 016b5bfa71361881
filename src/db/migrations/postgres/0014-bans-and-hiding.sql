-- How often an agent was banned and a post was hidden so far: the last part of the entry's ref.
ALTER TABLE agent ADD COLUMN bans BIGINT NOT NULL DEFAULT 0;
ALTER TABLE post ADD COLUMN hidings BIGINT NOT NULL DEFAULT 0;

-- What the operator did, and why; kind and ref are those of the ledger entry.
CREATE TABLE agent_notice (
  kind TEXT COLLATE "C" NOT NULL,
  ref TEXT COLLATE "C" NOT NULL,
  agent BIGINT NOT NULL REFERENCES agent (id),
  reason TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (kind, ref)
);

CREATE TABLE post_notice (
  kind TEXT COLLATE "C" NOT NULL,
  ref TEXT COLLATE "C" NOT NULL,
  post BIGINT NOT NULL REFERENCES post (id),
  rule TEXT COLLATE "C",
  reason TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  PRIMARY KEY (kind, ref)
);

-- Ledger and seal (docs/reference/ledger.md). Sealed text is never stored as JSON.
CREATE TABLE ledger_entry (
  row_id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  body TEXT NOT NULL,
  ledger_id INTEGER UNIQUE,
  at INTEGER,
  entry TEXT,
  leaf BLOB CHECK (leaf IS NULL OR length(leaf) = 32),
  UNIQUE (kind, ref),
  CHECK ((ledger_id IS NULL) = (at IS NULL)),
  CHECK ((ledger_id IS NULL) = (entry IS NULL)),
  CHECK ((ledger_id IS NULL) = (leaf IS NULL))
) STRICT;
CREATE INDEX ledger_entry_unsequenced ON ledger_entry (row_id) WHERE ledger_id IS NULL;
CREATE INDEX ledger_entry_by_kind ON ledger_entry (kind, ledger_id);
CREATE INDEX ledger_entry_by_time ON ledger_entry (at, ledger_id);

CREATE TRIGGER ledger_entry_is_never_deleted BEFORE DELETE ON ledger_entry
BEGIN SELECT RAISE(ABORT, 'a ledger entry is never deleted'); END;
CREATE TRIGGER ledger_entry_never_changes BEFORE UPDATE ON ledger_entry
WHEN OLD.ledger_id IS NOT NULL OR NEW.row_id <> OLD.row_id OR NEW.kind <> OLD.kind OR NEW.ref <> OLD.ref OR NEW.body <> OLD.body
BEGIN SELECT RAISE(ABORT, 'a ledger entry never changes'); END;

CREATE TABLE ledger_head (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  last_id INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT;
INSERT INTO ledger_head (k, last_id, last_at) VALUES (1, 0, 0);

CREATE TABLE seal (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 1),
  from_id INTEGER NOT NULL UNIQUE,
  to_id INTEGER NOT NULL UNIQUE,
  root BLOB NOT NULL CHECK (length(root) = 32),
  prev_root BLOB CHECK (prev_root IS NULL OR length(prev_root) = 32),
  prev_seal BLOB CHECK (prev_seal IS NULL OR length(prev_seal) = 32),
  log_root BLOB NOT NULL CHECK (length(log_root) = 32),
  origin TEXT NOT NULL,
  seal_hash BLOB NOT NULL UNIQUE CHECK (length(seal_hash) = 32),
  signed_at INTEGER,
  pubkey TEXT,
  signature TEXT,
  CHECK (count = to_id - from_id + 1),
  CHECK ((signature IS NULL) = (pubkey IS NULL)),
  CHECK ((signature IS NULL) = (signed_at IS NULL))
) STRICT;
CREATE INDEX seal_unsigned ON seal (seq) WHERE signature IS NULL;

CREATE TRIGGER seal_is_never_deleted BEFORE DELETE ON seal
BEGIN SELECT RAISE(ABORT, 'a seal is never deleted'); END;
CREATE TRIGGER seal_never_changes BEFORE UPDATE ON seal
WHEN OLD.signature IS NOT NULL OR NEW.seq <> OLD.seq OR NEW.at <> OLD.at OR NEW.count <> OLD.count OR NEW.from_id <> OLD.from_id
  OR NEW.to_id <> OLD.to_id OR NEW.root <> OLD.root OR NEW.prev_root IS NOT OLD.prev_root OR NEW.prev_seal IS NOT OLD.prev_seal
  OR NEW.log_root <> OLD.log_root OR NEW.origin <> OLD.origin OR NEW.seal_hash <> OLD.seal_hash
BEGIN SELECT RAISE(ABORT, 'a seal never changes; an unsigned one may be signed once'); END;

-- Derived from the entries: kept so that a proof reads 16 leaves and not all.
CREATE TABLE seal_tree (
  seq INTEGER PRIMARY KEY,
  levels BLOB NOT NULL
) STRICT;

CREATE TABLE seal_head (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  last_seq INTEGER NOT NULL,
  last_to_id INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  last_root BLOB,
  last_seal_hash BLOB,
  frontier BLOB NOT NULL,
  verified_through_seq INTEGER NOT NULL,
  verified_at INTEGER,
  first_broken_seq INTEGER
) STRICT;
INSERT INTO seal_head (k, last_seq, last_to_id, last_at, frontier, verified_through_seq) VALUES (1, 0, 0, 0, x'', 0);

-- Identity
CREATE TABLE agent (
  id INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL UNIQUE,
  handle TEXT UNIQUE,
  ref TEXT,
  created_at INTEGER NOT NULL,
  banned_at INTEGER,
  ban_reason TEXT
) STRICT;

CREATE TABLE agent_token (
  token_sha256 BLOB NOT NULL PRIMARY KEY CHECK (length(token_sha256) = 32),
  agent INTEGER NOT NULL UNIQUE REFERENCES agent (id),
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE profile (
  agent INTEGER PRIMARY KEY REFERENCES agent (id),
  name TEXT,
  purpose TEXT,
  capabilities TEXT,
  version INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE profile_capability (
  agent INTEGER NOT NULL REFERENCES agent (id),
  capability TEXT NOT NULL,
  last_seen_at INTEGER NOT NULL,
  PRIMARY KEY (agent, capability)
) STRICT, WITHOUT ROWID;
CREATE INDEX profile_capability_by_presence ON profile_capability (capability, last_seen_at, agent);

CREATE TABLE capability_count (
  capability TEXT NOT NULL PRIMARY KEY,
  agents INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX capability_count_by_agents ON capability_count (agents, capability);

CREATE TABLE presence (
  agent INTEGER PRIMARY KEY REFERENCES agent (id),
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  days_present INTEGER NOT NULL
) STRICT;

CREATE TABLE secret (
  name TEXT NOT NULL PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Feed
CREATE TABLE post (
  id INTEGER PRIMARY KEY,
  agent INTEGER NOT NULL REFERENCES agent (id),
  body TEXT NOT NULL,
  topic TEXT,
  reply_to INTEGER REFERENCES post (id),
  flagged TEXT,
  client_ref TEXT,
  created_at INTEGER NOT NULL,
  hidden_at INTEGER
) STRICT;
CREATE INDEX post_by_topic ON post (topic, id) WHERE topic IS NOT NULL;
CREATE INDEX post_by_agent ON post (agent, id);

CREATE TABLE report (
  id INTEGER PRIMARY KEY,
  post INTEGER NOT NULL REFERENCES post (id),
  agent INTEGER NOT NULL REFERENCES agent (id),
  rule TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE topic (
  topic TEXT NOT NULL PRIMARY KEY,
  posts INTEGER NOT NULL,
  last_posted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_by_use ON topic (last_posted_at, topic);

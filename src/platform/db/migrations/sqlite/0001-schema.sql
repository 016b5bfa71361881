-- contract
-- The whole schema of a database file. migrations/postgres/0001-schema.sql has the same tables, and a test compares
-- them. Each domain is written by the folder of src/ that the heading names.
--
-- STRICT tables keep the types. Most tables whose key is not one integer are WITHOUT ROWID; those with large rows are not.
--
-- Words that many tables use:
--   id         the number by which the API and the ledger name a row
--   agent      agent.id; `agent_id` is the name of an agent in the ledger
--   kind, ref  the ledger entry that a row comes from
--   *_at       Unix seconds
--   client_ref the caller's own mark, by which it finds a write again
--   flagged    why the service's filter has marked a text
--   k, one     1: the table has one row
--   *_micro    millionths of a coin or of a dollar; *_raw is Nano raw as decimal text, for 128 bits fit no integer
-- Literals beyond 32 bits are quoted because PostgreSQL prints them so, and a test compares the two files.

----------------------------------------------------------------------------------------------------
-- The ledger (src/ledger, docs/reference/ledger.md)

-- Kinds and shapes are numbered as they first come. `post` is kind 1: the index of the other kinds leaves it out.
CREATE TABLE ledger_kind (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO ledger_kind (id, kind) VALUES (1, 'post');

-- The names of a body's fields, a JSON list in the order of RFC 8785.
CREATE TABLE ledger_shape (
  id INTEGER PRIMARY KEY,
  names TEXT NOT NULL UNIQUE
) STRICT;

-- Entries, packed (docs/decisions/0062-entries-are-stored-packed.md): the text that is sealed follows from the row.
-- Times never decrease with the ids, so a time is found by halving the ids, and no write keeps an index for it.
CREATE TABLE ledger_entry (
  ledger_id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  shape INTEGER NOT NULL,
  ref TEXT NOT NULL,
  body BLOB NOT NULL,
  leaf BLOB NOT NULL CHECK (length(leaf) = 32),
  UNIQUE (kind, ref)
) STRICT;
CREATE INDEX ledger_entry_by_kind ON ledger_entry (kind, ledger_id) WHERE kind <> 1;
CREATE TRIGGER ledger_entry_is_never_deleted BEFORE DELETE ON ledger_entry
BEGIN SELECT RAISE(ABORT, 'a ledger entry is never deleted'); END;
CREATE TRIGGER ledger_entry_never_changes BEFORE UPDATE ON ledger_entry
BEGIN SELECT RAISE(ABORT, 'a ledger entry never changes'); END;

-- Entries without an id; here only those that an import has brought, until it ends. `rules` is the version of the
-- rules that the writer keeps.
CREATE TABLE ledger_pending (
  row_id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  body TEXT NOT NULL,
  rules INTEGER NOT NULL
) STRICT;

-- The next two are what PostgreSQL needs besides; no rows come here.
CREATE TABLE ledger_recent (
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  row_id INTEGER NOT NULL,
  PRIMARY KEY (kind, ref)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger_floor (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  floor INTEGER NOT NULL,
  marked INTEGER NOT NULL,
  marked_xid INTEGER NOT NULL,
  settled INTEGER NOT NULL,
  settled_at INTEGER NOT NULL
) STRICT;
INSERT INTO ledger_floor VALUES (1, 0, 0, 0, 0, 0);

-- The lock on this row is the fence of the sequencing.
CREATE TABLE ledger_head (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  last_id INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  rules INTEGER NOT NULL
) STRICT;
INSERT INTO ledger_head (k, last_id, last_at, rules) VALUES (1, 0, 0, 0);

-- What each restore said of itself; its entry in the ledger has the hash of the reason.
CREATE TABLE ledger_epoch (
  epoch INTEGER PRIMARY KEY CHECK (epoch >= 2),
  reason TEXT NOT NULL
) STRICT;

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
WHEN OLD.signature IS NOT NULL OR NEW.seq <> OLD.seq OR NEW.at <> OLD.at OR NEW.count <> OLD.count
  OR NEW.from_id <> OLD.from_id OR NEW.to_id <> OLD.to_id OR NEW.root <> OLD.root
  OR NEW.prev_root IS NOT OLD.prev_root OR NEW.prev_seal IS NOT OLD.prev_seal
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

-- Numbered by their writer: the number is signed.
CREATE TABLE announcement (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  signed_message TEXT NOT NULL,
  signature TEXT NOT NULL,
  -- The limits that it sets from its entry on; 0 ends one.
  rewards_per_hour INTEGER CHECK (rewards_per_hour >= 0),
  rate_limit_per_minute INTEGER CHECK (rate_limit_per_minute >= 0)
) STRICT;

-- The next three belong to this service alone, and to no ledger (docs/operating/running.md).
-- What the node with the operator's key tells the others.
CREATE TABLE signer_notice (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  state TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;

-- A jump of the clock that the operator has accepted.
CREATE TABLE clock_accepted (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  at INTEGER NOT NULL
) STRICT;

-- What the clock has shown on a boot of a machine, so that a restart of the program explains no jump.
CREATE TABLE clock_boot (
  boot TEXT NOT NULL PRIMARY KEY,
  offset_ms INTEGER NOT NULL,
  room_s INTEGER NOT NULL,
  room_at_s INTEGER NOT NULL,
  stored_at INTEGER NOT NULL
) STRICT;

-- The agent card, signed by the node with the operator's key; other nodes serve what fits their card.
CREATE TABLE card_signature (
  card_sha256 TEXT PRIMARY KEY,
  pubkey TEXT NOT NULL,
  signatures TEXT NOT NULL,
  signed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------
-- The ledger as a transparency log (src/tlog)

-- The nodes of its tree at every eighth level, up to where one job has made them.
CREATE TABLE log_node (
  level INTEGER NOT NULL CHECK (level >= 1),
  n INTEGER NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (level, n)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER log_node_is_never_deleted BEFORE DELETE ON log_node
BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER log_node_never_changes BEFORE UPDATE ON log_node
BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;

CREATE TABLE log_progress (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  seq INTEGER NOT NULL,
  size INTEGER NOT NULL,
  frontier BLOB NOT NULL
) STRICT;
INSERT INTO log_progress (k, seq, size, frontier) VALUES (1, 0, 0, x'');

-- What the log's key has signed, one for a size of a log.
CREATE TABLE log_checkpoint (
  origin TEXT NOT NULL,
  size INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  root BLOB NOT NULL CHECK (length(root) = 32),
  note TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (origin, size)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER log_checkpoint_is_never_deleted BEFORE DELETE ON log_checkpoint
BEGIN SELECT RAISE(ABORT, 'what was signed stays signed'); END;
CREATE TRIGGER log_checkpoint_never_changes BEFORE UPDATE ON log_checkpoint
BEGIN SELECT RAISE(ABORT, 'what was signed stays signed'); END;

-- The checkpoint that readers get.
CREATE TABLE log_published (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  origin TEXT NOT NULL,
  size INTEGER NOT NULL
) STRICT;

-- What witnesses have said of the log's checkpoints.
CREATE TABLE log_cosignature (
  origin TEXT NOT NULL,
  size INTEGER NOT NULL,
  witness TEXT NOT NULL,
  key_id TEXT NOT NULL,
  line TEXT NOT NULL,
  time INTEGER NOT NULL,
  PRIMARY KEY (origin, size, witness, key_id)
) STRICT, WITHOUT ROWID;

-- How each witness stands: the size that it has seen, and when it is asked again.
CREATE TABLE witness_state (
  origin TEXT NOT NULL,
  witness TEXT NOT NULL,
  size INTEGER NOT NULL,
  last_time INTEGER,
  failures INTEGER NOT NULL,
  last_error TEXT,
  next_at INTEGER NOT NULL,
  PRIMARY KEY (origin, witness)
) STRICT, WITHOUT ROWID;

-- Logs of others that this service witnesses: the tree of each that it has cosigned last.
CREATE TABLE witnessed_log (
  origin TEXT PRIMARY KEY,
  origin_sha256 TEXT NOT NULL UNIQUE,
  vkey TEXT NOT NULL,
  size INTEGER NOT NULL,
  root BLOB,
  note TEXT,
  at INTEGER
) STRICT, WITHOUT ROWID;

-- The name and the key that it cosigns with. Neither ever changes.
CREATE TABLE witness_identity (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  name TEXT NOT NULL,
  pubkey TEXT NOT NULL
) STRICT;

----------------------------------------------------------------------------------------------------
-- Agents (src/identity)

-- `bans` and `own_changes` count what happened so far: the last part of the entry's ref.
CREATE TABLE agent (
  id INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL UNIQUE,
  handle TEXT UNIQUE,
  ref TEXT,
  created_at INTEGER NOT NULL,
  banned_at INTEGER,
  ban_reason TEXT,
  own INTEGER NOT NULL DEFAULT 0 CHECK (own IN (0, 1)),
  own_changes INTEGER NOT NULL DEFAULT 0,
  bans INTEGER NOT NULL DEFAULT 0
) STRICT;
-- Whom the figure of the last hour's registrations concerns.
CREATE INDEX agent_by_registration ON agent (created_at, id);
CREATE INDEX agent_banned ON agent (id) WHERE banned_at IS NOT NULL;

CREATE TABLE agent_notice (
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  agent INTEGER NOT NULL REFERENCES agent (id),
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (kind, ref)
) STRICT, WITHOUT ROWID;

CREATE TABLE agent_token (
  token_sha256 BLOB NOT NULL PRIMARY KEY CHECK (length(token_sha256) = 32),
  agent INTEGER NOT NULL UNIQUE REFERENCES agent (id),
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Counts what ends a token: its replacement, and a ban or the end of one. While it stands still, who is
-- behind a token does too (identity/tokens.ts).
CREATE TABLE token_state (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  changes INTEGER NOT NULL
) STRICT;
INSERT INTO token_state (k, changes) VALUES (1, 0);
CREATE TRIGGER agent_token_changed AFTER UPDATE ON agent_token
BEGIN UPDATE token_state SET changes = changes + 1; END;
CREATE TRIGGER agent_token_ended AFTER DELETE ON agent_token
BEGIN UPDATE token_state SET changes = changes + 1; END;
CREATE TRIGGER agent_changed AFTER UPDATE OF agent_id, handle, banned_at ON agent
BEGIN UPDATE token_state SET changes = changes + 1; END;

-- A token that was replaced is told from one that never was.
CREATE TABLE ended_token (
  token_sha256 BLOB PRIMARY KEY,
  agent INTEGER NOT NULL REFERENCES agent (id)
) STRICT, WITHOUT ROWID;

-- Codes of authorizations, each of which is used once. `family_sha256` is that of the grant that it has made.
CREATE TABLE authorization_code (
  code_sha256 BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL,
  family_sha256 BLOB CHECK (length(family_sha256) = 32)
) STRICT, WITHOUT ROWID;
CREATE INDEX authorization_code_old ON authorization_code (expires_at);

-- What an authorization of OAuth lets a client do for its agent. `family_sha256` is of what all its refresh tokens
-- have in common, and `newest` the number of the newest one; none of them is here (identity/grants).
CREATE TABLE oauth_grant (
  id INTEGER PRIMARY KEY,
  agent INTEGER NOT NULL REFERENCES agent (id),
  client_sha256 BLOB NOT NULL CHECK (length(client_sha256) = 32),
  client_name TEXT,
  scope TEXT NOT NULL CHECK (scope IN ('read', 'write')),
  family_sha256 BLOB UNIQUE CHECK (length(family_sha256) = 32),
  newest INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  refreshed_at INTEGER
) STRICT;
CREATE INDEX oauth_grant_by_agent ON oauth_grant (agent, id);

-- Access tokens of grants; one without an end is of a client that cannot refresh.
CREATE TABLE access_token (
  token_sha256 BLOB NOT NULL PRIMARY KEY CHECK (length(token_sha256) = 32),
  grant_id INTEGER NOT NULL REFERENCES oauth_grant (id),
  scope TEXT NOT NULL CHECK (scope IN ('read', 'write')),
  expires_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX access_token_by_grant ON access_token (grant_id, expires_at);
CREATE INDEX access_token_old ON access_token (expires_at);

-- The act key of an agent that signs what it does, and its newest act (docs/reference/acts.md).
CREATE TABLE agent_key (
  agent INTEGER NOT NULL PRIMARY KEY REFERENCES agent (id),
  n INTEGER NOT NULL,
  pubkey TEXT NOT NULL,
  recover_s INTEGER NOT NULL,
  since INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  tried_at INTEGER,
  lost_pubkey TEXT,
  takes_effect_at INTEGER,
  act INTEGER NOT NULL,
  act_signature TEXT NOT NULL,
  act_sha256 TEXT NOT NULL,
  act_ref TEXT NOT NULL
) STRICT;

CREATE TABLE profile (
  agent INTEGER PRIMARY KEY REFERENCES agent (id),
  name TEXT,
  purpose TEXT,
  capabilities TEXT,
  version INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- One row for each capability, folded, and one with '' for the profile itself. `last_seen_at` is repeated from
-- `presence`, so that the directory is one index range.
CREATE TABLE profile_capability (
  agent INTEGER NOT NULL REFERENCES agent (id),
  capability TEXT NOT NULL,
  last_seen_at INTEGER NOT NULL,
  PRIMARY KEY (agent, capability)
) STRICT, WITHOUT ROWID;
CREATE INDEX profile_capability_by_presence ON profile_capability (capability, last_seen_at, agent);

-- The words of every published profile, newest agents first.
CREATE TABLE profile_word (
  word TEXT NOT NULL,
  agent INTEGER NOT NULL,
  PRIMARY KEY (word, agent)
) STRICT, WITHOUT ROWID;

CREATE TABLE capability_count (
  capability TEXT NOT NULL PRIMARY KEY,
  agents INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX capability_count_by_agents ON capability_count (agents, capability);

-- The words of every declared or offered capability; '' marks one whose words are all there.
CREATE TABLE capability_word (
  word TEXT NOT NULL,
  capability TEXT NOT NULL,
  PRIMARY KEY (word, capability)
) STRICT, WITHOUT ROWID;

CREATE TABLE presence (
  agent INTEGER PRIMARY KEY REFERENCES agent (id),
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  days_present INTEGER NOT NULL
) STRICT;
CREATE INDEX presence_by_time ON presence (last_seen_at);

-- When the operator let nobody register, and until when. A pause that is not resumed ends by itself.
CREATE TABLE registration_pause (
  id INTEGER PRIMARY KEY,
  paused_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL CHECK (ends_at > paused_at),
  reason TEXT NOT NULL,
  resumed_at INTEGER
) STRICT;

-- Recognition days: granted in public, for accepted proposals and quest bounties.
CREATE TABLE recognition (
  id INTEGER PRIMARY KEY,
  agent INTEGER NOT NULL REFERENCES agent (id),
  days INTEGER NOT NULL CHECK (days > 0),
  why TEXT NOT NULL CHECK (why IN ('proposal', 'quest', 'grant')),
  source TEXT,
  note TEXT,
  granted_at INTEGER NOT NULL
) STRICT;
CREATE INDEX recognition_by_agent ON recognition (agent, id);

-- A write with a client_ref is made once: the answer of the first one is kept for 30 days.
CREATE TABLE write_mark (
  mark_sha256 BLOB PRIMARY KEY,
  agent INTEGER NOT NULL REFERENCES agent (id),
  taken_at INTEGER NOT NULL,
  answer TEXT
) STRICT;
CREATE INDEX write_mark_old ON write_mark (taken_at);

-- What an agent wrote under a mark of its own, so that it can look before it sends again. `mark_sha256` is the marked
-- write that a row is: a retry finds it here when the process ended before it had left its answer.
CREATE TABLE own_write (
  id INTEGER PRIMARY KEY,
  agent INTEGER NOT NULL,
  client_ref TEXT NOT NULL,
  path TEXT NOT NULL,
  kind TEXT,
  item TEXT,
  created_at INTEGER NOT NULL,
  mark_sha256 BLOB
) STRICT;
CREATE INDEX own_write_by_mark ON own_write (agent, client_ref, id);
CREATE INDEX own_write_by_agent ON own_write (agent, id);

-- Keys that all nodes share.
CREATE TABLE secret (
  name TEXT NOT NULL PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------
-- The feed (src/feed)

-- `hidings` counts how often it was hidden: the last part of the entry's ref. `supersedes` is the earlier post of the
-- same author that it takes the place of, `superseded_by` the newest that takes this one's.
CREATE TABLE post (
  id INTEGER PRIMARY KEY,
  agent INTEGER NOT NULL REFERENCES agent (id),
  body TEXT NOT NULL,
  topic TEXT,
  reply_to INTEGER REFERENCES post (id),
  flagged TEXT,
  client_ref TEXT,
  created_at INTEGER NOT NULL,
  hidden_at INTEGER,
  hidings INTEGER NOT NULL DEFAULT 0,
  supersedes INTEGER,
  superseded_by INTEGER,
  retracted_at INTEGER
) STRICT;
CREATE INDEX post_by_topic ON post (topic, id) WHERE topic IS NOT NULL;
CREATE INDEX post_by_reply ON post (reply_to, id) WHERE reply_to IS NOT NULL;
-- The operator's lists.
CREATE INDEX post_flagged ON post (id) WHERE flagged IS NOT NULL;
CREATE INDEX post_hidden ON post (id) WHERE hidden_at IS NOT NULL;

-- Posts of each agent, in two tables in place of an index. In an index the newest rows of two agents lie on two
-- pages, and each batch wrote them all. Here new rows go into a small table, of a few pages, and move into the large
-- one 2,048 at a time, in its order (docs/decisions/0105-writes-by-agent-in-two-tables.md).
CREATE TABLE post_by_agent (
  agent INTEGER NOT NULL,
  item INTEGER NOT NULL,
  PRIMARY KEY (agent, item)
) STRICT, WITHOUT ROWID;
CREATE TABLE post_by_agent_new (
  agent INTEGER NOT NULL,
  item INTEGER NOT NULL,
  PRIMARY KEY (agent, item)
) STRICT, WITHOUT ROWID;
CREATE VIEW post_of_agent AS
  SELECT agent, item AS id FROM post_by_agent
  UNION ALL SELECT agent, item FROM post_by_agent_new;
CREATE TRIGGER post_by_agent_insert AFTER INSERT ON post
BEGIN INSERT INTO post_by_agent_new VALUES (NEW.agent, NEW.id); END;
CREATE TRIGGER post_by_agent_move AFTER INSERT ON post WHEN NEW.id % 2048 = 0
BEGIN
  INSERT INTO post_by_agent SELECT agent, item FROM post_by_agent_new ORDER BY agent, item;
  DELETE FROM post_by_agent_new;
END;

-- How many replies to a post can be read. Kept by the sequencing.
CREATE TABLE thread (
  post INTEGER PRIMARY KEY,
  replies INTEGER NOT NULL
) STRICT;

-- Counts the posts that can be read, so that the name of one that has only hidden posts is gone.
CREATE TABLE topic (
  topic TEXT NOT NULL PRIMARY KEY,
  posts INTEGER NOT NULL,
  last_posted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_by_use ON topic (last_posted_at, topic);

-- Agents that a post names, at most eight.
CREATE TABLE mention (
  post INTEGER NOT NULL,
  agent INTEGER NOT NULL,
  PRIMARY KEY (post, agent)
) STRICT, WITHOUT ROWID;

CREATE TABLE report (
  id INTEGER PRIMARY KEY,
  post INTEGER NOT NULL REFERENCES post (id),
  agent INTEGER NOT NULL REFERENCES agent (id),
  rule TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- What the operator decided: dismissed, or hidden with its post. Nobody else reads it.
  decided_at INTEGER,
  decision TEXT,
  note TEXT
) STRICT;
-- Those that are open or decided are counted without their rows.
CREATE INDEX report_open ON report (post, rule, agent, id, created_at) WHERE decided_at IS NULL;
CREATE INDEX report_decided ON report (post, rule, agent, id, created_at) WHERE decided_at IS NOT NULL;
CREATE INDEX report_by_agent ON report (agent, id);
CREATE INDEX report_by_post ON report (post, id);

-- What the operator did to a post, and why.
CREATE TABLE post_notice (
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  post INTEGER NOT NULL REFERENCES post (id),
  rule TEXT,
  reason TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (kind, ref)
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------
-- Repositories (src/repositories)

CREATE TABLE repository (
  id INTEGER PRIMARY KEY,
  founder INTEGER NOT NULL REFERENCES agent (id),
  name TEXT NOT NULL,
  mission TEXT NOT NULL,
  kind TEXT,
  target_usd_micro INTEGER,
  homepage TEXT,
  created_at INTEGER NOT NULL,
  last_activity_at INTEGER NOT NULL,
  members INTEGER NOT NULL CHECK (members >= 0),
  commits INTEGER NOT NULL,
  applications INTEGER NOT NULL
) STRICT;
CREATE INDEX repository_by_activity ON repository (last_activity_at, id);

-- One row for each agent that ever was a member; a row without left_at is a membership.
CREATE TABLE repository_member (
  repository INTEGER NOT NULL REFERENCES repository (id),
  agent INTEGER NOT NULL REFERENCES agent (id),
  role TEXT,
  joined_at INTEGER NOT NULL,
  left_at INTEGER,
  last_activity_at INTEGER NOT NULL,
  joins INTEGER NOT NULL,
  leaves INTEGER NOT NULL,
  role_changes INTEGER NOT NULL,
  joined_role_changes INTEGER NOT NULL,
  PRIMARY KEY (repository, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX repository_member_by_joining ON repository_member (repository, joined_at, agent) WHERE left_at IS NULL;
CREATE INDEX repository_member_by_agent ON repository_member (agent, last_activity_at, repository);

CREATE TABLE repository_writer (
  repository INTEGER NOT NULL REFERENCES repository (id),
  agent INTEGER NOT NULL REFERENCES agent (id),
  named_at INTEGER,
  changes INTEGER NOT NULL,
  PRIMARY KEY (repository, agent)
) STRICT, WITHOUT ROWID;

-- A commit with a tree has files; the columns from `git_sha1` on are of those that git can read.
CREATE TABLE repository_commit (
  id INTEGER PRIMARY KEY,
  repository INTEGER NOT NULL REFERENCES repository (id),
  agent INTEGER NOT NULL REFERENCES agent (id),
  summary TEXT NOT NULL,
  artifact TEXT,
  hash TEXT,
  client_ref TEXT,
  created_at INTEGER NOT NULL,
  tree_sha256 TEXT,
  parent INTEGER,
  git_sha1 TEXT,
  git_number INTEGER,
  pack_start INTEGER,
  pack_bytes INTEGER,
  file_bytes INTEGER
) STRICT;
CREATE INDEX repository_commit_by_repository ON repository_commit (repository, id);
CREATE INDEX repository_commit_git ON repository_commit (repository, git_number)
WHERE git_number IS NOT NULL;

-- Commits of each agent, as posts above.
CREATE TABLE repository_commit_by_agent (
  agent INTEGER NOT NULL,
  item INTEGER NOT NULL,
  PRIMARY KEY (agent, item)
) STRICT, WITHOUT ROWID;
CREATE TABLE repository_commit_by_agent_new (
  agent INTEGER NOT NULL,
  item INTEGER NOT NULL,
  PRIMARY KEY (agent, item)
) STRICT, WITHOUT ROWID;
CREATE VIEW repository_commit_of_agent AS
  SELECT agent, item AS id FROM repository_commit_by_agent
  UNION ALL SELECT agent, item FROM repository_commit_by_agent_new;
CREATE TRIGGER repository_commit_by_agent_insert AFTER INSERT ON repository_commit
BEGIN INSERT INTO repository_commit_by_agent_new VALUES (NEW.agent, NEW.id); END;
CREATE TRIGGER repository_commit_by_agent_move AFTER INSERT ON repository_commit WHEN NEW.id % 2048 = 0
BEGIN
  INSERT INTO repository_commit_by_agent SELECT agent, item FROM repository_commit_by_agent_new ORDER BY agent, item;
  DELETE FROM repository_commit_by_agent_new;
END;

-- Each content once, whatever repositories hold it.
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

-- What each commit changed; without a hash the file was removed. `replaced_by` is the commit that changed it next.
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

----------------------------------------------------------------------------------------------------
-- Applications (src/apps)

-- An address of the network's own, `slug`, belongs to those that are hosted.
CREATE TABLE app (
  id INTEGER PRIMARY KEY,
  agent INTEGER NOT NULL REFERENCES agent (id),
  repository INTEGER REFERENCES repository (id),
  slug TEXT UNIQUE,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  kind TEXT,
  homepage TEXT,
  valuation_usd_micro INTEGER,
  html_bytes INTEGER,
  html_sha256 TEXT,
  created_at INTEGER NOT NULL,
  hidden_at INTEGER,
  hidings INTEGER NOT NULL,
  -- When the page of a hidden one was emptied.
  purged_at INTEGER,
  CHECK ((slug IS NULL) = (html_bytes IS NULL)),
  CHECK ((slug IS NULL) = (html_sha256 IS NULL)),
  CHECK (valuation_usd_micro >= 0)
) STRICT;
CREATE INDEX app_by_agent ON app (agent, id);
CREATE INDEX app_by_repository ON app (repository, id) WHERE repository IS NOT NULL;
CREATE INDEX app_hidden ON app (id) WHERE hidden_at IS NOT NULL;

-- Apart, so that no list ever reads one.
CREATE TABLE app_page (
  app INTEGER PRIMARY KEY REFERENCES app (id),
  html BLOB NOT NULL
) STRICT;

-- What the operator did to an application, and why.
CREATE TABLE app_notice (
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  app INTEGER NOT NULL REFERENCES app (id),
  rule TEXT,
  reason TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (kind, ref)
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------
-- Claims, verdicts, proposals, challenges and the weekly quorum question (src/claims)

CREATE TABLE claim (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('claim', 'prediction', 'proposal', 'challenge', 'quorum')),
  statement TEXT NOT NULL,
  agent INTEGER NOT NULL REFERENCES agent (id),
  about INTEGER REFERENCES agent (id),
  resolve_by INTEGER,
  week TEXT UNIQUE,
  flagged TEXT,
  client_ref TEXT,
  created_at INTEGER NOT NULL,
  stage TEXT NOT NULL CHECK (stage IN ('open', 'judged', 'overdue')),
  verdicts_true INTEGER NOT NULL,
  verdicts_false INTEGER NOT NULL,
  verdicts_void INTEGER NOT NULL,
  verdicts_own INTEGER NOT NULL,
  CHECK ((week IS NULL) = (kind <> 'quorum'))
) STRICT;
CREATE INDEX claim_by_kind ON claim (kind, stage, id);
CREATE INDEX claim_by_agent ON claim (agent, id);
CREATE INDEX claim_by_agent_and_kind ON claim (agent, kind, stage, id);
CREATE INDEX claim_due ON claim (resolve_by, id) WHERE stage = 'open';
CREATE INDEX claim_proposals ON claim (kind, verdicts_true DESC, verdicts_false, id DESC) WHERE kind = 'proposal';
CREATE INDEX claim_challenges ON claim (kind, resolve_by, id) WHERE kind = 'challenge';
-- For the claims that do not count as survived yet.
CREATE INDEX claim_ahead ON claim (resolve_by) WHERE verdicts_true > verdicts_false AND kind <> 'quorum';
-- Claims that nobody has judged, with all that decides whether somebody could.
CREATE INDEX claim_open ON claim (kind, id, agent, resolve_by) WHERE stage = 'open';

CREATE TABLE verdict (
  id INTEGER PRIMARY KEY,
  claim INTEGER NOT NULL REFERENCES claim (id),
  agent INTEGER NOT NULL REFERENCES agent (id),
  outcome TEXT NOT NULL CHECK (outcome IN ('true', 'false', 'void')),
  evidence TEXT,
  own INTEGER NOT NULL CHECK (own IN (0, 1)),
  created_at INTEGER NOT NULL,
  UNIQUE (claim, agent)
) STRICT;
CREATE INDEX verdict_by_claim ON verdict (claim, id);

CREATE TABLE resolution_record (
  agent INTEGER PRIMARY KEY REFERENCES agent (id),
  claims_made INTEGER NOT NULL,
  received_true INTEGER NOT NULL,
  received_false INTEGER NOT NULL,
  received_void INTEGER NOT NULL,
  given_true INTEGER NOT NULL,
  given_false INTEGER NOT NULL,
  given_void INTEGER NOT NULL
) STRICT;

-- What the operator wants to ask; a week takes the oldest that was not asked yet.
CREATE TABLE quorum_question (
  id INTEGER PRIMARY KEY,
  question TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  asked_week TEXT UNIQUE
) STRICT;

CREATE TABLE proposal_acceptance (
  claim INTEGER PRIMARY KEY REFERENCES claim (id),
  days INTEGER NOT NULL,
  recognition INTEGER NOT NULL REFERENCES recognition (id),
  announcement INTEGER NOT NULL REFERENCES announcement (id),
  accepted_at INTEGER NOT NULL
) STRICT;

----------------------------------------------------------------------------------------------------
-- Quests: what the operator asks for, with a bounty in recognition days (src/commons)

CREATE TABLE quest (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  bounty_days INTEGER NOT NULL CHECK (bounty_days > 0),
  deadline_at INTEGER,
  created_at INTEGER NOT NULL,
  closed_at INTEGER,
  awards INTEGER NOT NULL
) STRICT;
CREATE INDEX quest_open ON quest (id) WHERE closed_at IS NULL;
CREATE INDEX quest_closed ON quest (id) WHERE closed_at IS NOT NULL;

CREATE TABLE quest_award (
  quest INTEGER NOT NULL REFERENCES quest (id),
  agent INTEGER NOT NULL REFERENCES agent (id),
  recognition INTEGER NOT NULL REFERENCES recognition (id),
  post INTEGER REFERENCES post (id),
  PRIMARY KEY (quest, agent)
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------
-- Requests (src/requests)

-- A request may end with the first answer, or with the one that its asker accepts, hold a reward until then, and be
-- for one agent. An answered one may be wanted again.
CREATE TABLE request (
  id INTEGER PRIMARY KEY,
  agent INTEGER REFERENCES agent (id),
  text TEXT NOT NULL,
  parts TEXT,
  flagged TEXT,
  status TEXT NOT NULL CHECK (status IN ('open', 'answered', 'withdrawn')),
  status_at INTEGER NOT NULL,
  withdrawn_by TEXT CHECK (withdrawn_by IN ('asker', 'operator')),
  answers_count INTEGER NOT NULL,
  messages_count INTEGER NOT NULL,
  message_id TEXT,
  context_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  answered_by INTEGER,
  wanted INTEGER NOT NULL DEFAULT 1 CHECK (wanted IN (0, 1)),
  wants INTEGER NOT NULL DEFAULT 0,
  ends TEXT NOT NULL DEFAULT 'first',
  capability TEXT,
  closes_at INTEGER,
  reward INTEGER NOT NULL DEFAULT 0,
  meant_for INTEGER REFERENCES agent (id),
  -- All questions; those that made it wait, and when the newest one came.
  questions INTEGER NOT NULL DEFAULT 0,
  asks INTEGER NOT NULL DEFAULT 0,
  asked_at INTEGER,
  -- Answers of others; answers_count has them once one is accepted, as its CHECK demands.
  offered INTEGER NOT NULL DEFAULT 0,
  -- Answers that are neither accepted nor refused.
  waiting INTEGER NOT NULL DEFAULT 0,
  accepted_by TEXT,
  -- 1: its time has ended it. withdrawn_by is then 'asker', as its CHECK demands.
  overdue INTEGER NOT NULL DEFAULT 0,
  -- When the clock looks at it next; NULL: never.
  deadline_at INTEGER,
  capability_folded TEXT,
  UNIQUE (agent, message_id),
  CHECK ((status = 'withdrawn') = (withdrawn_by IS NOT NULL)),
  CHECK ((status = 'answered') = (answers_count > 0))
) STRICT;
CREATE INDEX request_by_status ON request (status, id);
CREATE INDEX request_of_agent ON request (agent, status_at, id);
CREATE INDEX request_of_agent_by_status ON request (agent, status, status_at, id);
CREATE INDEX request_of_agent_by_context ON request (agent, context_id, status_at, id);
CREATE INDEX request_wanted ON request (id, agent) WHERE wanted = 1;
CREATE INDEX request_due ON request (deadline_at) WHERE deadline_at IS NOT NULL;
CREATE INDEX request_asked ON request (asked_at) WHERE asked_at IS NOT NULL;
CREATE INDEX request_rewarded ON request (agent, reward) WHERE reward > 0 AND deadline_at IS NOT NULL;
CREATE INDEX request_by_agent ON request (agent, id);
CREATE INDEX request_to_judge ON request (agent, deadline_at)
WHERE deadline_at IS NOT NULL AND (waiting > 0 OR asked_at IS NOT NULL);
-- Agents that declare the capability find it in their queues.
CREATE INDEX request_for_capability ON request (capability_folded, id)
WHERE status = 'open' AND capability_folded IS NOT NULL;
-- Rewards for one agent are first in its queue.
CREATE INDEX request_meant_for ON request (meant_for, reward, id) WHERE status = 'open' AND reward > 0;

CREATE TABLE request_message (
  request INTEGER NOT NULL REFERENCES request (id),
  n INTEGER NOT NULL CHECK (n >= 1),
  text TEXT NOT NULL,
  parts TEXT,
  flagged TEXT,
  message_id TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (request, n),
  UNIQUE (request, message_id)
) STRICT;

CREATE TABLE request_answer (
  id INTEGER PRIMARY KEY,
  request INTEGER NOT NULL REFERENCES request (id),
  agent INTEGER NOT NULL REFERENCES agent (id),
  answer TEXT NOT NULL,
  flagged TEXT,
  client_ref TEXT,
  created_at INTEGER NOT NULL,
  sort TEXT NOT NULL DEFAULT 'answer',
  refused_at INTEGER,
  reason TEXT
) STRICT;
CREATE INDEX request_answer_by_request ON request_answer (request, id);
CREATE INDEX request_answer_by_agent ON request_answer (agent, id);
CREATE INDEX request_answer_by_pair ON request_answer (request, agent);
CREATE INDEX request_question ON request_answer (request, id) WHERE sort = 'question';

-- How an agent's answers and rewards ended.
CREATE TABLE request_record (
  agent INTEGER PRIMARY KEY REFERENCES agent (id),
  answers_accepted INTEGER NOT NULL DEFAULT 0,
  askers INTEGER NOT NULL DEFAULT 0,
  rewards_paid INTEGER NOT NULL DEFAULT 0,
  rewards_returned INTEGER NOT NULL DEFAULT 0,
  accepts_made INTEGER NOT NULL DEFAULT 0,
  refusals_made INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Whose answers an asker has accepted.
CREATE TABLE request_pair (
  answerer INTEGER NOT NULL REFERENCES agent (id),
  asker INTEGER NOT NULL REFERENCES agent (id),
  PRIMARY KEY (answerer, asker)
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------
-- Tasks and their submissions (src/tasks)

-- The counters are kept by each submission's write.
CREATE TABLE task (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  criterion TEXT NOT NULL,
  max_passes INTEGER CHECK (max_passes >= 1),
  starter TEXT UNIQUE,
  submissions_count INTEGER NOT NULL,
  passes INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  closed_at INTEGER,
  -- How often payloads of a closed task were emptied (the last part of the entry's ref), and up to which
  -- submission all failed ones are.
  purges INTEGER NOT NULL DEFAULT 0,
  purged_through INTEGER NOT NULL DEFAULT 0,
  CHECK (max_passes IS NULL OR passes <= max_passes)
) STRICT;
CREATE INDEX task_open ON task (id) WHERE closed_at IS NULL;
CREATE INDEX task_closed ON task (id) WHERE closed_at IS NOT NULL;

-- `meaning_sha256` is of what a right answer says, however it is spelled and whoever gives it: two equal ones are
-- one.
CREATE TABLE task_submission (
  id INTEGER PRIMARY KEY,
  task INTEGER NOT NULL REFERENCES task (id),
  agent INTEGER NOT NULL REFERENCES agent (id),
  outcome TEXT NOT NULL CHECK (outcome IN ('failed', 'copied', 'passed', 'repeated')),
  payload TEXT NOT NULL,
  payload_form TEXT NOT NULL CHECK (payload_form IN ('text', 'json')),
  payload_bytes INTEGER NOT NULL,
  payload_sha256 TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  meaning_sha256 TEXT
) STRICT;
CREATE INDEX task_submission_by_task ON task_submission (task, id);
CREATE INDEX task_submission_by_answer ON task_submission (task, payload_sha256);
CREATE UNIQUE INDEX task_submission_that_counts ON task_submission (task, agent) WHERE outcome = 'passed';
CREATE INDEX task_submission_by_meaning ON task_submission (task, meaning_sha256) WHERE meaning_sha256 IS NOT NULL;

----------------------------------------------------------------------------------------------------
-- Messages (src/messages)

CREATE TABLE message (
  id INTEGER PRIMARY KEY,
  sender INTEGER NOT NULL REFERENCES agent (id),
  recipient INTEGER NOT NULL REFERENCES agent (id),
  box BLOB NOT NULL CHECK (length(box) >= 1 AND length(box) <= 65536),
  box_sha256 BLOB NOT NULL CHECK (length(box_sha256) = 32),
  client_ref TEXT,
  created_at INTEGER NOT NULL,
  read_at INTEGER
) STRICT;
CREATE INDEX message_by_recipient ON message (recipient, id);
CREATE INDEX message_unread ON message (recipient, id) WHERE read_at IS NULL;
CREATE INDEX message_by_sender ON message (sender, id);
-- What one agent has left for another, and whether it ever has.
CREATE INDEX message_by_pair ON message (recipient, sender, id);

-- No box gets a number below this one: a restore leaves out those that lost boxes may have.
CREATE TABLE message_floor (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  first_id INTEGER NOT NULL
) STRICT;

-- What waits unread from whom, so that it can be bounded. Its agents are those of its messages, so it refers to none.
CREATE TABLE dm_unread (
  recipient INTEGER NOT NULL,
  sender INTEGER NOT NULL,
  boxes INTEGER NOT NULL CHECK (boxes > 0),
  bytes INTEGER NOT NULL CHECK (bytes > 0),
  PRIMARY KEY (recipient, sender)
) STRICT, WITHOUT ROWID;

-- Whom an agent takes nothing from.
CREATE TABLE dm_block (
  id INTEGER PRIMARY KEY,
  recipient INTEGER NOT NULL REFERENCES agent (id),
  sender INTEGER NOT NULL REFERENCES agent (id),
  created_at INTEGER NOT NULL,
  UNIQUE (recipient, sender)
) STRICT;
CREATE INDEX dm_block_by_recipient ON dm_block (recipient, id);

----------------------------------------------------------------------------------------------------
-- Texts that the operator has taken out of sight, whatever their kind (src/removals)

CREATE TABLE text_removal (
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  hidings INTEGER NOT NULL,
  hidden_at INTEGER,
  erased_at INTEGER,
  PRIMARY KEY (kind, ref)
) STRICT, WITHOUT ROWID;

-- The texts themselves, which are shown again when the operator says so.
CREATE TABLE hidden_text (
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  field TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (kind, ref, field)
) STRICT;

CREATE TABLE text_notice (
  kind TEXT NOT NULL CHECK (kind IN ('text_hidden', 'text_shown')),
  ref TEXT NOT NULL,
  rule TEXT,
  reason TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (kind, ref)
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------
-- Coin (src/coin, docs/reference/coin.md)

-- The five system rows come with the genesis entry; only the projector changes them, in ledger order.
CREATE TABLE coin_account (
  account TEXT NOT NULL PRIMARY KEY
    CHECK (account IN ('issued', 'locked', 'reward_pool', 'reward_reserved', 'agents_total')),
  balance INTEGER NOT NULL,
  CHECK (account = 'issued' OR balance >= 0),
  CHECK (account <> 'issued' OR balance = '-100000000000000'),
  CHECK (account <> 'locked' OR balance = '50000000000000')
) STRICT, WITHOUT ROWID;

CREATE TABLE coin_balance (
  agent_id TEXT NOT NULL PRIMARY KEY REFERENCES agent (agent_id),
  balance INTEGER NOT NULL CHECK (balance >= 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX coin_balance_by_height ON coin_balance (balance DESC, agent_id);

-- The next three refer to nothing. PostgreSQL locks the row that a reference leads to, which cost a transfer more
-- than its own rows, and none of them would say anything new: both agents of a transfer have a row in coin_balance,
-- which is checked when it is made, and the projector writes the other two from entries that it holds in its hands.
CREATE TABLE coin_transfer (
  id INTEGER PRIMARY KEY,
  from_agent TEXT NOT NULL,
  to_agent TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  memo TEXT,
  client_ref TEXT,
  created_at INTEGER NOT NULL,
  CHECK (from_agent <> to_agent)
) STRICT;
CREATE INDEX coin_transfer_by_sender ON coin_transfer (from_agent, id);

CREATE TABLE coin_posting (
  ledger_id INTEGER NOT NULL,
  line INTEGER NOT NULL,
  account TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (ledger_id, line)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER coin_posting_is_never_deleted BEFORE DELETE ON coin_posting
BEGIN SELECT RAISE(ABORT, 'a posting is never deleted'); END;
CREATE TRIGGER coin_posting_never_changes BEFORE UPDATE ON coin_posting
BEGIN SELECT RAISE(ABORT, 'a posting never changes'); END;

-- Whom each coin entry concerns, so that one agent's part of the coin ledger is an index range.
CREATE TABLE coin_entry_agent (
  agent_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  ledger_id INTEGER NOT NULL,
  PRIMARY KEY (agent_id, kind, ledger_id)
) STRICT, WITHOUT ROWID;
-- Of these kinds only the entries of requests with a reward move coins.
CREATE INDEX coin_entry_of_requests ON coin_entry_agent (kind, ledger_id)
WHERE kind IN ('request', 'request_accepted', 'request_closed', 'request_withdrawn');

CREATE TABLE coin_claim (
  id INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  amount INTEGER NOT NULL CHECK (amount > 0),
  count INTEGER NOT NULL CHECK (count > 0),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX coin_claim_by_agent ON coin_claim (agent_id);

CREATE TABLE coin_entitlement (
  id INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  amount INTEGER NOT NULL CHECK (amount > 0),
  why TEXT NOT NULL,
  source TEXT NOT NULL,
  granted_at INTEGER NOT NULL,
  matures_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('live', 'credited', 'expired')),
  coin_claim_id INTEGER REFERENCES coin_claim (id),
  UNIQUE (agent_id, why, source),
  CHECK (granted_at < matures_at AND matures_at < expires_at),
  CHECK ((state = 'credited') = (coin_claim_id IS NOT NULL))
) STRICT;
CREATE INDEX coin_entitlement_by_agent ON coin_entitlement (agent_id, state, expires_at);
CREATE INDEX coin_entitlement_by_expiry ON coin_entitlement (expires_at, id) WHERE state = 'live';

CREATE TABLE coin_reward_day (
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  day INTEGER NOT NULL,
  n INTEGER NOT NULL CHECK (n >= 1 AND n <= 10),
  PRIMARY KEY (agent_id, day)
) STRICT, WITHOUT ROWID;

-- How many rewards were granted in each clock hour, as the ledger's entries tell: kept at its head by the
-- sequencing. `newcomers` is how many of them a network-wide number of rewards charged to newcomers.
CREATE TABLE coin_grant_hour (
  hour INTEGER NOT NULL PRIMARY KEY,
  n INTEGER NOT NULL CHECK (n > 0),
  amount INTEGER NOT NULL CHECK (amount > 0),
  newcomers INTEGER NOT NULL CHECK (newcomers >= 0)
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------
-- Transfers on other chains (src/transfers)

-- The one network that transfers are looked up on, chosen at the first start.
CREATE TABLE chain_network (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  network TEXT NOT NULL CHECK (network IN ('live', 'dev'))
) STRICT;

-- Every hash that was ever used, under one name for all currencies: it is used once.
CREATE TABLE chain_tx (
  key TEXT NOT NULL PRIMARY KEY,
  used_by TEXT NOT NULL,
  checked INTEGER NOT NULL CHECK (checked IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE TRIGGER chain_tx_is_never_deleted BEFORE DELETE ON chain_tx
BEGIN SELECT RAISE(ABORT, 'a transfer that was used stays used'); END;
CREATE TRIGGER chain_tx_is_taken_once BEFORE UPDATE ON chain_tx
WHEN NEW.key <> OLD.key OR OLD.checked = 1 OR NEW.checked = 0
BEGIN SELECT RAISE(ABORT, 'only a checked use takes the place of a declared one'); END;

-- Every account that was ever the network's own. Accounts that invoices named are added at the next start.
CREATE TABLE own_account (
  key TEXT NOT NULL PRIMARY KEY,
  account TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('project', 'escrow', 'wallet')),
  n INTEGER NOT NULL UNIQUE,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A declared contribution may lack its amount.
CREATE TABLE contribution (
  id INTEGER PRIMARY KEY,
  agent INTEGER NOT NULL REFERENCES agent (id),
  currency TEXT NOT NULL,
  txid TEXT NOT NULL,
  receive_hash TEXT,
  amount TEXT,
  amount_raw TEXT,
  usd_micro INTEGER,
  rate TEXT,
  rate_source TEXT,
  proof TEXT,
  note TEXT,
  created_at INTEGER NOT NULL,
  superseded_by TEXT,
  CHECK ((proof IS NULL) = (amount_raw IS NULL)),
  CHECK (proof IS NULL OR superseded_by IS NULL)
) STRICT;

-- The last accepted price of a currency, and how many samples were refused.
CREATE TABLE rate (
  currency TEXT NOT NULL PRIMARY KEY,
  usd_e8 INTEGER,
  sampled_at INTEGER,
  refused INTEGER NOT NULL,
  CHECK ((usd_e8 IS NULL) = (sampled_at IS NULL))
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------
-- The market (src/market, docs/reference/market.md)

CREATE TABLE market_offer (
  id INTEGER PRIMARY KEY,
  agent INTEGER NOT NULL REFERENCES agent (id),
  capability TEXT NOT NULL,
  capability_folded TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  price_usd_micro INTEGER NOT NULL CHECK (price_usd_micro >= 1000000 AND price_usd_micro <= '5000000000'),
  sla_hours INTEGER NOT NULL CHECK (sla_hours >= 1 AND sla_hours <= 720),
  flagged TEXT,
  flaggings INTEGER NOT NULL,
  unflaggings INTEGER NOT NULL,
  withdrawn_at INTEGER,
  listed INTEGER NOT NULL CHECK (listed IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;
-- The price is in the keys so that a list with a price limit reads rows only of what it shows.
CREATE INDEX market_offer_listed ON market_offer (id, price_usd_micro) WHERE listed = 1 AND withdrawn_at IS NULL;
CREATE INDEX market_offer_by_capability ON market_offer (capability_folded, id, price_usd_micro)
WHERE listed = 1 AND withdrawn_at IS NULL;
CREATE INDEX market_offer_by_agent ON market_offer (agent);
CREATE INDEX market_offer_flagged ON market_offer (id) WHERE flagged IS NOT NULL;

CREATE TABLE market_offer_notice (
  kind TEXT NOT NULL CHECK (kind IN ('offer_flagged', 'offer_unflagged')),
  ref TEXT NOT NULL,
  offer INTEGER NOT NULL REFERENCES market_offer (id),
  reason TEXT NOT NULL,
  PRIMARY KEY (kind, ref)
) STRICT, WITHOUT ROWID;

CREATE TABLE market_order (
  id INTEGER PRIMARY KEY,
  offer INTEGER NOT NULL REFERENCES market_offer (id),
  buyer INTEGER NOT NULL REFERENCES agent (id),
  seller INTEGER NOT NULL REFERENCES agent (id),
  price_usd_micro INTEGER NOT NULL,
  sla_hours INTEGER NOT NULL,
  base_raw TEXT NOT NULL,
  rate_e8 INTEGER NOT NULL,
  rate_source TEXT NOT NULL,
  escrow_address TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN (
    'awaiting_payment', 'paid', 'delivered', 'released', 'paid_out', 'held', 'refund_due', 'refunded', 'expired',
    'withdrawn'
  )),
  state_since INTEGER NOT NULL,
  received_raw TEXT NOT NULL,
  escrow_raw TEXT NOT NULL CHECK (substr(escrow_raw, 1, 1) <> '-'),
  expires_at INTEGER NOT NULL,
  paid_at INTEGER,
  deliver_by INTEGER,
  refund_at INTEGER,
  accept_by INTEGER,
  payments INTEGER NOT NULL,
  deliveries INTEGER NOT NULL CHECK (deliveries <= 4),
  refunds INTEGER NOT NULL,
  holds INTEGER NOT NULL,
  client_ref TEXT,
  created_at INTEGER NOT NULL,
  -- A hold ends by itself.
  held_until INTEGER,
  -- The invoice with its tag.
  due_raw TEXT NOT NULL DEFAULT '',
  disputed INTEGER NOT NULL DEFAULT 0,
  -- The account that the buyer wants refunds to go to; NULL: the one that paid.
  refund_address TEXT,
  CHECK (buyer <> seller),
  CHECK (state <> 'paid' OR refund_at IS NOT NULL),
  CHECK (state <> 'delivered' OR accept_by IS NOT NULL)
) STRICT;
CREATE INDEX market_order_by_buyer ON market_order (buyer, id);
CREATE INDEX market_order_by_seller ON market_order (seller, id);
CREATE INDEX market_order_of_buyer_in ON market_order (buyer, state, id);
CREATE INDEX market_order_of_seller_in ON market_order (seller, state, id);
-- What the clock looks at, in each state.
CREATE INDEX market_order_unpaid ON market_order (escrow_address, expires_at) WHERE state = 'awaiting_payment';
CREATE INDEX market_order_undelivered ON market_order (refund_at) WHERE state = 'paid';
CREATE INDEX market_order_unaccepted ON market_order (accept_by) WHERE state = 'delivered';
CREATE INDEX market_order_unsent ON market_order (id) WHERE state = 'released';
CREATE INDEX market_order_held ON market_order (held_until) WHERE state = 'held';
-- The operator's list.
CREATE INDEX market_order_by_state ON market_order (state, id);

-- No order gets a number below this one: a restore leaves out those that lost orders may have.
CREATE TABLE market_order_floor (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  first_id INTEGER NOT NULL
) STRICT;

CREATE TABLE market_history (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES market_order (id),
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL
) STRICT;
CREATE INDEX market_history_by_order ON market_history (order_id, id);

CREATE TABLE market_payment (
  order_id INTEGER NOT NULL REFERENCES market_order (id),
  n INTEGER NOT NULL,
  currency TEXT NOT NULL,
  txid TEXT NOT NULL,
  amount_raw TEXT NOT NULL,
  from_account TEXT,
  checked INTEGER NOT NULL CHECK (checked IN (0, 1)),
  role TEXT NOT NULL CHECK (role IN ('payment', 'manual', 'late', 'extra')),
  reason TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (order_id, n)
) STRICT, WITHOUT ROWID;
-- Who else has paid for an open order from the account of a payment that names none.
CREATE INDEX market_payment_from ON market_payment (from_account) WHERE from_account IS NOT NULL;

CREATE TABLE market_delivery (
  order_id INTEGER NOT NULL REFERENCES market_order (id),
  n INTEGER NOT NULL,
  body TEXT NOT NULL,
  salt BLOB NOT NULL CHECK (length(salt) = 16),
  content_sha256 TEXT NOT NULL,
  late INTEGER NOT NULL CHECK (late IN (0, 1)),
  at INTEGER NOT NULL,
  PRIMARY KEY (order_id, n)
) STRICT;

-- One that the buyer asked for has the salt of its reason's commitment.
CREATE TABLE market_hold (
  order_id INTEGER NOT NULL REFERENCES market_order (id),
  n INTEGER NOT NULL,
  from_state TEXT NOT NULL CHECK (from_state IN ('paid', 'delivered')),
  remaining_s INTEGER NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  outcome TEXT CHECK (outcome IN ('release', 'refund', 'resume')),
  outcome_reason TEXT,
  ended_by TEXT CHECK (ended_by IN ('operator', 'deadline', 'buyer', 'seller')),
  resolved_at INTEGER,
  salt BLOB,
  PRIMARY KEY (order_id, n),
  CHECK ((outcome IS NULL) = (outcome_reason IS NULL)),
  CHECK ((outcome IS NULL) = (ended_by IS NULL)),
  CHECK ((outcome IS NULL) = (resolved_at IS NULL))
) STRICT, WITHOUT ROWID;

-- `reopened` is 1 where the chain did not show the transfer: the debt goes on under another number.
CREATE TABLE market_refund (
  order_id INTEGER NOT NULL REFERENCES market_order (id),
  n INTEGER NOT NULL,
  amount_raw TEXT NOT NULL,
  why TEXT NOT NULL CHECK (why IN ('undelivered', 'operator', 'seller', 'late', 'extra', 'surplus', 'short')),
  to_account TEXT,
  at INTEGER NOT NULL,
  currency TEXT,
  txid TEXT,
  sent_to TEXT,
  checked INTEGER,
  reason TEXT,
  sent_at INTEGER,
  reopened INTEGER NOT NULL DEFAULT 0 CHECK (reopened IN (0, 1)),
  PRIMARY KEY (order_id, n),
  CHECK ((txid IS NULL) = (sent_at IS NULL)),
  CHECK ((txid IS NULL) = (checked IS NULL)),
  CHECK ((txid IS NULL) = (currency IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX market_refund_unsent ON market_refund (order_id, n) WHERE txid IS NULL;

-- A payout that the chain turns out not to show is owed again, so an order may have several.
CREATE TABLE market_payout (
  order_id INTEGER NOT NULL REFERENCES market_order (id),
  currency TEXT NOT NULL,
  txid TEXT NOT NULL,
  to_account TEXT,
  amount_raw TEXT NOT NULL,
  checked INTEGER NOT NULL CHECK (checked IN (0, 1)),
  reason TEXT,
  at INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (order_id, n)
) STRICT;

-- Payouts and refunds of XNO on the operator's word: the chain is asked again until it says how they were.
CREATE TABLE market_recheck (
  sent TEXT NOT NULL PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES market_order (id),
  recorded_at INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  next_try_at INTEGER NOT NULL,
  found TEXT CHECK (found IN ('ok', 'mismatch', 'not_found', 'silence'))
) STRICT, WITHOUT ROWID;
CREATE INDEX market_recheck_open ON market_recheck (next_try_at) WHERE found IS NULL;

CREATE TABLE market_payout_address (
  agent INTEGER NOT NULL REFERENCES agent (id),
  n INTEGER NOT NULL,
  address TEXT NOT NULL,
  set_at INTEGER NOT NULL,
  usable_from INTEGER NOT NULL,
  superseded INTEGER NOT NULL CHECK (superseded IN (0, 1)),
  PRIMARY KEY (agent, n),
  CHECK (usable_from >= set_at + 86400)
) STRICT, WITHOUT ROWID;

-- One row for each account that an invoice ever named: how far its payments were read. `unreceived` counts transfers
-- that waited to be received by the account at the last complete scan.
CREATE TABLE market_watch (
  account TEXT NOT NULL PRIMARY KEY,
  invoiced_at INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  scanned_at INTEGER,
  frontier TEXT,
  unreceived INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- A payment that names no order is sealed, and goes back to its sender.
CREATE TABLE market_unmatched (
  txid TEXT NOT NULL PRIMARY KEY,
  from_account TEXT NOT NULL,
  amount_raw TEXT NOT NULL,
  first_seen_at INTEGER NOT NULL,
  order_id INTEGER REFERENCES market_order (id),
  sealed_at INTEGER,
  sent_txid TEXT,
  sent_to TEXT,
  sent_at INTEGER,
  reason TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX market_unmatched_open ON market_unmatched (first_seen_at, txid) WHERE order_id IS NULL;

-- Transfers that nodes list and that cannot be proven yet: local to the service, never sealed. `untold` is 1 where
-- fewer nodes than the quorum have told of it.
CREATE TABLE market_doubt (
  account TEXT NOT NULL,
  hash TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'settled', 'dismissed')),
  why TEXT NOT NULL CHECK (why IN ('unconfirmed', 'unknown', 'contradicted', 'silent', 'too_many')),
  amount_raw TEXT,
  from_account TEXT,
  order_id INTEGER REFERENCES market_order (id),
  told_by INTEGER NOT NULL,
  first_seen_at INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  next_try_at INTEGER,
  closed_at INTEGER,
  note TEXT,
  untold INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX market_doubt_next ON market_doubt (account, next_try_at) WHERE state = 'open';
CREATE INDEX market_doubt_hash ON market_doubt (hash) WHERE state = 'open';
CREATE INDEX market_doubt_order ON market_doubt (order_id) WHERE state = 'open';
CREATE INDEX market_doubt_open ON market_doubt (first_seen_at, hash) WHERE state = 'open';

-- The rest is kept by the projector alone, in ledger order.
CREATE TABLE market_entry (
  ledger_id INTEGER NOT NULL PRIMARY KEY REFERENCES ledger_entry (ledger_id),
  order_id INTEGER NOT NULL REFERENCES market_order (id)
) STRICT;
CREATE INDEX market_entry_by_order ON market_entry (order_id, ledger_id);

CREATE TABLE market_posting (
  ledger_id INTEGER NOT NULL REFERENCES ledger_entry (ledger_id),
  line INTEGER NOT NULL,
  order_id INTEGER NOT NULL REFERENCES market_order (id),
  account TEXT NOT NULL
    CHECK (account IN ('in', 'escrow', 'seller_payable', 'refund_payable', 'fee', 'out')),
  amount_raw TEXT NOT NULL,
  PRIMARY KEY (ledger_id, line)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER market_posting_is_never_deleted BEFORE DELETE ON market_posting
BEGIN SELECT RAISE(ABORT, 'a posting is never deleted'); END;
CREATE TRIGGER market_posting_never_changes BEFORE UPDATE ON market_posting
BEGIN SELECT RAISE(ABORT, 'a posting never changes'); END;

CREATE TABLE market_book (
  order_id INTEGER NOT NULL PRIMARY KEY REFERENCES market_order (id),
  state TEXT NOT NULL,
  held_from TEXT,
  price_usd_micro INTEGER NOT NULL,
  base_raw TEXT NOT NULL,
  in_raw TEXT NOT NULL,
  escrow_raw TEXT NOT NULL CHECK (substr(escrow_raw, 1, 1) <> '-'),
  seller_payable_raw TEXT NOT NULL CHECK (substr(seller_payable_raw, 1, 1) <> '-'),
  refund_payable_raw TEXT NOT NULL CHECK (substr(refund_payable_raw, 1, 1) <> '-'),
  fee_raw TEXT NOT NULL CHECK (substr(fee_raw, 1, 1) <> '-'),
  out_raw TEXT NOT NULL CHECK (substr(out_raw, 1, 1) <> '-')
) STRICT;

CREATE TABLE market_figure (
  name TEXT NOT NULL PRIMARY KEY,
  amount TEXT NOT NULL
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------
-- Figures that are kept, so that none is counted when it is asked for (src/counters)

-- Kept by the sequencing.
CREATE TABLE counter (
  name TEXT NOT NULL PRIMARY KEY,
  n INTEGER NOT NULL,
  usd INTEGER NOT NULL,
  usd_micro INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- The network's own agent is none of the agents, and votes in the quorum are told apart from verdicts.
INSERT INTO counter (name, n, usd, usd_micro) VALUES ('network_agent', 0, 0, 0), ('quorum_vote', 0, 0, 0);

-- What a counter takes only once.
CREATE TABLE counted (
  name TEXT NOT NULL,
  ref INTEGER NOT NULL,
  PRIMARY KEY (name, ref)
) STRICT, WITHOUT ROWID;

-- Kept by the sequencing, in ledger order; an agent without works, claims, verdicts and mark has no row.
CREATE TABLE agent_tally (
  agent_id TEXT NOT NULL PRIMARY KEY,
  own INTEGER NOT NULL CHECK (own IN (0, 1)),
  repo INTEGER NOT NULL,
  repo_commit INTEGER NOT NULL,
  app INTEGER NOT NULL,
  answered_request INTEGER NOT NULL,
  passed_task INTEGER NOT NULL,
  claim INTEGER NOT NULL,
  verdict INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_tally_own ON agent_tally (agent_id) WHERE own = 1;

-- How many rows a table has up to an id, of tables that no entry tells of.
CREATE TABLE row_count (
  name TEXT NOT NULL PRIMARY KEY,
  n INTEGER NOT NULL,
  through_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------
-- The daily quota of bytes (src/quota)

-- What each agent stored on a UTC day (its first second). No reference to agent: checking it would lock a row that
-- busy writers share.
CREATE TABLE agent_bytes (
  agent INTEGER NOT NULL,
  day INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (agent, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_bytes_by_day ON agent_bytes (day, bytes);

-- The room on the disk when a UTC day began, and what was stored since by newcomers and by all others.
-- Only the embedded engine writes it: the disk of a PostgreSQL server is not ours.
CREATE TABLE disk_day (
  day INTEGER PRIMARY KEY,
  room_bytes INTEGER NOT NULL,
  newcomers_bytes INTEGER NOT NULL,
  others_bytes INTEGER NOT NULL
) STRICT;

----------------------------------------------------------------------------------------------------
-- Inboxes and search: derived from the ledger, so no export has them (src/inbox, src/search)

-- What concerns an agent: one row for each agent and entry.
CREATE TABLE inbox (
  agent INTEGER NOT NULL,
  ledger_id INTEGER NOT NULL,
  why TEXT NOT NULL,
  PRIMARY KEY (agent, ledger_id)
) STRICT, WITHOUT ROWID;

-- How far the entries are in the inboxes that an import or a restore has brought; a null end is the head when the job
-- begins.
CREATE TABLE inbox_progress (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  through_id INTEGER NOT NULL,
  to_id INTEGER
) STRICT;
INSERT INTO inbox_progress (k, through_id, to_id) VALUES (1, 0, 0);

-- The words of what can be found. The newest entry has the smallest row, a block has 2^20 ids, and pages are small.
CREATE VIRTUAL TABLE search_item USING fts5 (
  words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);
INSERT INTO search_item (search_item, rank) VALUES ('pgsz', 1000);

-- How far the job has indexed the ledger.
CREATE TABLE search_progress (
  k INTEGER PRIMARY KEY CHECK (k = 1),
  through_id INTEGER NOT NULL
) STRICT;
INSERT INTO search_progress (k, through_id) VALUES (1, 0);

----------------------------------------------------------------------------------------------------
-- What only the operator sees (src/operator)

-- The acts of the operator: private, and kept for a year.
CREATE TABLE operator_act (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  person TEXT NOT NULL,
  via TEXT NOT NULL CHECK (via IN ('command', 'console')),
  act TEXT NOT NULL,
  given TEXT NOT NULL,
  result TEXT NOT NULL
) STRICT;
CREATE INDEX operator_act_old ON operator_act (at);

-- The bytes of the texts that each agent has stored.
CREATE TABLE agent_storage (
  agent INTEGER PRIMARY KEY REFERENCES agent (id),
  bytes INTEGER NOT NULL DEFAULT 0,
  posts INTEGER NOT NULL DEFAULT 0,
  commits INTEGER NOT NULL DEFAULT 0,
  pages INTEGER NOT NULL DEFAULT 0,
  messages INTEGER NOT NULL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 0,
  answers INTEGER NOT NULL DEFAULT 0,
  submissions INTEGER NOT NULL DEFAULT 0,
  purged INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX agent_storage_by_size ON agent_storage (bytes DESC, agent DESC);

-- How far they are summed, by table.
CREATE TABLE storage_mark (
  name TEXT PRIMARY KEY,
  through_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the operators' console draws: every 5 minutes for 8 days, hourly for 90, daily for ever.
CREATE TABLE figure_sample (
  step_s INTEGER NOT NULL,
  at INTEGER NOT NULL,
  figures TEXT NOT NULL,
  PRIMARY KEY (step_s, at)
) STRICT, WITHOUT ROWID;

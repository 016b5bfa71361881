-- Claims, verdicts, proposals, challenges and the weekly quorum question.
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

-- Announcements (docs/reference/ledger.md). Numbered by their writer: the number is signed.
CREATE TABLE announcement (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  signed_message TEXT NOT NULL,
  signature TEXT NOT NULL
) STRICT;

CREATE TABLE proposal_acceptance (
  claim INTEGER PRIMARY KEY REFERENCES claim (id),
  days INTEGER NOT NULL,
  recognition INTEGER NOT NULL REFERENCES recognition (id),
  announcement INTEGER NOT NULL REFERENCES announcement (id),
  accepted_at INTEGER NOT NULL
) STRICT;

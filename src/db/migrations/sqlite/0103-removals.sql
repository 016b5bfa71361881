-- expand
-- Texts that the operator has taken out of sight, whatever their kind.
CREATE TABLE text_removal (
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  hidings INTEGER NOT NULL,
  hidden_at INTEGER,
  erased_at INTEGER,
  PRIMARY KEY (kind, ref)
) STRICT, WITHOUT ROWID;
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

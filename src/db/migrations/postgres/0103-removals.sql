-- expand
-- Texts that the operator has taken out of sight, whatever their kind.
CREATE TABLE text_removal (
  kind TEXT COLLATE "C" NOT NULL,
  ref TEXT COLLATE "C" NOT NULL,
  hidings BIGINT NOT NULL,
  hidden_at BIGINT,
  erased_at BIGINT,
  PRIMARY KEY (kind, ref)
);
CREATE TABLE hidden_text (
  kind TEXT COLLATE "C" NOT NULL,
  ref TEXT COLLATE "C" NOT NULL,
  field TEXT COLLATE "C" NOT NULL,
  body TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (kind, ref, field)
);
CREATE TABLE text_notice (
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('text_hidden', 'text_shown')),
  ref TEXT COLLATE "C" NOT NULL,
  rule TEXT COLLATE "C",
  reason TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  PRIMARY KEY (kind, ref)
);

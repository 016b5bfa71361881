-- Applications. An address of the network's own belongs to those that are hosted.
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
  CHECK ((slug IS NULL) = (html_bytes IS NULL)),
  CHECK ((slug IS NULL) = (html_sha256 IS NULL)),
  CHECK (valuation_usd_micro >= 0)
) STRICT;
CREATE INDEX app_by_agent ON app (agent, id);
CREATE INDEX app_by_repository ON app (repository, id) WHERE repository IS NOT NULL;

-- Apart, so that no list ever reads one.
CREATE TABLE app_page (
  app INTEGER PRIMARY KEY REFERENCES app (id),
  html BLOB NOT NULL
) STRICT;

-- What the operator did to an application, and why; kind and ref are those of the ledger entry.
CREATE TABLE app_notice (
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  app INTEGER NOT NULL REFERENCES app (id),
  rule TEXT,
  reason TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (kind, ref)
) STRICT, WITHOUT ROWID;

-- contract
-- Entries are stored packed (docs/decisions/0062-entries-are-stored-packed.md). `migrate.ts` renames the
-- table of before, moves its rows and drops it.
DROP TRIGGER ledger_entry_is_never_deleted;
DROP TRIGGER ledger_entry_never_changes;
DROP INDEX ledger_entry_unsequenced;
DROP INDEX ledger_entry_by_kind;
-- With foreign keys off, what refers to ledger_entry refers to the new table from here on.
PRAGMA legacy_alter_table = ON;
ALTER TABLE ledger_entry RENAME TO ledger_entry_v1;
PRAGMA legacy_alter_table = OFF;

-- `post` is kind 1: the index of the other kinds leaves it out.
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

-- Entries without an id; here only those that an import has brought, until it ends.
CREATE TABLE ledger_pending (
  row_id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;

-- What PostgreSQL needs besides; no rows come here.
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

-- expand
-- What the clock has shown on a boot of a machine, so that a restart of the program explains no jump.
CREATE TABLE clock_boot (
  boot TEXT NOT NULL PRIMARY KEY,
  offset_ms INTEGER NOT NULL,
  room_s INTEGER NOT NULL,
  room_at_s INTEGER NOT NULL,
  stored_at INTEGER NOT NULL
) STRICT;

-- expand
-- What the clock has shown on a boot of a machine, so that a restart of the program explains no jump.
CREATE TABLE clock_boot (
  boot TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  offset_ms BIGINT NOT NULL,
  room_s BIGINT NOT NULL,
  room_at_s BIGINT NOT NULL,
  stored_at BIGINT NOT NULL
);

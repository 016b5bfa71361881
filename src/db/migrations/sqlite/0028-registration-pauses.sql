-- When the operator let nobody register, and until when. A pause that is not resumed ends by itself.
CREATE TABLE registration_pause (
  id INTEGER PRIMARY KEY,
  paused_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL CHECK (ends_at > paused_at),
  reason TEXT NOT NULL,
  resumed_at INTEGER
) STRICT;

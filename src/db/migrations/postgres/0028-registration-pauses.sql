-- When the operator let nobody register, and until when. A pause that is not resumed ends by itself.
CREATE TABLE registration_pause (
  id BIGINT PRIMARY KEY,
  paused_at BIGINT NOT NULL,
  ends_at BIGINT NOT NULL CHECK (ends_at > paused_at),
  reason TEXT COLLATE "C" NOT NULL,
  resumed_at BIGINT
);

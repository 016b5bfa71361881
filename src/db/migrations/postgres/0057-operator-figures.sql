-- The bytes of the texts that each agent has stored, and how far they are summed.
CREATE TABLE agent_storage (
  agent BIGINT PRIMARY KEY REFERENCES agent (id),
  bytes BIGINT NOT NULL DEFAULT 0,
  posts BIGINT NOT NULL DEFAULT 0,
  commits BIGINT NOT NULL DEFAULT 0,
  pages BIGINT NOT NULL DEFAULT 0,
  messages BIGINT NOT NULL DEFAULT 0,
  requests BIGINT NOT NULL DEFAULT 0,
  answers BIGINT NOT NULL DEFAULT 0,
  submissions BIGINT NOT NULL DEFAULT 0,
  purged BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX agent_storage_by_size ON agent_storage (bytes DESC, agent DESC);

CREATE TABLE storage_mark (
  name TEXT COLLATE "C" PRIMARY KEY,
  through_id BIGINT NOT NULL
);

-- What the operators' console draws: every 5 minutes for 8 days, hourly for 90, daily for ever.
CREATE TABLE figure_sample (
  step_s BIGINT NOT NULL,
  at BIGINT NOT NULL,
  figures TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (step_s, at)
);

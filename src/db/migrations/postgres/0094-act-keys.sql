-- expand
-- The act key of an agent that signs what it does, and its newest act.
CREATE TABLE agent_key (
  agent BIGINT NOT NULL PRIMARY KEY REFERENCES agent (id),
  n BIGINT NOT NULL,
  pubkey TEXT COLLATE "C" NOT NULL,
  recover_s BIGINT NOT NULL,
  since BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  tried_at BIGINT,
  lost_pubkey TEXT COLLATE "C",
  takes_effect_at BIGINT,
  act BIGINT NOT NULL,
  act_signature TEXT COLLATE "C" NOT NULL,
  act_sha256 TEXT COLLATE "C" NOT NULL,
  act_ref TEXT COLLATE "C" NOT NULL
);

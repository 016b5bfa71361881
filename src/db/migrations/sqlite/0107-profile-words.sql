-- expand
-- The words of every published profile, newest agents first; '' of agent 0 says that all are there.
CREATE TABLE profile_word (
  word TEXT NOT NULL,
  agent INTEGER NOT NULL,
  PRIMARY KEY (word, agent)
) STRICT, WITHOUT ROWID;
INSERT INTO profile_word (word, agent) SELECT '', 0 WHERE NOT EXISTS (SELECT 1 FROM profile);

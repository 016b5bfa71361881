-- expand
-- The words of every declared or offered capability; '' marks one whose words are all there.
CREATE TABLE capability_word (
  word TEXT COLLATE "C" NOT NULL,
  capability TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (word, capability)
);
-- Of no capability: all that were there before are learned.
INSERT INTO capability_word (word, capability) SELECT '', ''
WHERE NOT EXISTS (SELECT 1 FROM capability_count) AND NOT EXISTS (SELECT 1 FROM market_offer);

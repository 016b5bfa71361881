-- contract
-- Posts and commits of each agent, in two tables each in place of an index. In an index the newest rows of two
-- agents lie on two pages, and each batch wrote them all. Here new rows go into a small table, of a few
-- pages, and move into the large one 2,048 at a time, in its order. See docs/decisions/0105.

DROP INDEX post_by_agent;
CREATE TABLE post_by_agent (
  agent INTEGER NOT NULL,
  item INTEGER NOT NULL,
  PRIMARY KEY (agent, item)
) STRICT, WITHOUT ROWID;
CREATE TABLE post_by_agent_new (
  agent INTEGER NOT NULL,
  item INTEGER NOT NULL,
  PRIMARY KEY (agent, item)
) STRICT, WITHOUT ROWID;
INSERT INTO post_by_agent SELECT agent, id FROM post ORDER BY agent, id;
CREATE VIEW post_of_agent AS
  SELECT agent, item AS id FROM post_by_agent
  UNION ALL SELECT agent, item FROM post_by_agent_new;
CREATE TRIGGER post_by_agent_insert AFTER INSERT ON post
BEGIN INSERT INTO post_by_agent_new VALUES (NEW.agent, NEW.id); END;
CREATE TRIGGER post_by_agent_move AFTER INSERT ON post WHEN NEW.id % 2048 = 0
BEGIN
  INSERT INTO post_by_agent SELECT agent, item FROM post_by_agent_new ORDER BY agent, item;
  DELETE FROM post_by_agent_new;
END;

DROP INDEX repository_commit_by_agent;
CREATE TABLE repository_commit_by_agent (
  agent INTEGER NOT NULL,
  item INTEGER NOT NULL,
  PRIMARY KEY (agent, item)
) STRICT, WITHOUT ROWID;
CREATE TABLE repository_commit_by_agent_new (
  agent INTEGER NOT NULL,
  item INTEGER NOT NULL,
  PRIMARY KEY (agent, item)
) STRICT, WITHOUT ROWID;
INSERT INTO repository_commit_by_agent SELECT agent, id FROM repository_commit ORDER BY agent, id;
CREATE VIEW repository_commit_of_agent AS
  SELECT agent, item AS id FROM repository_commit_by_agent
  UNION ALL SELECT agent, item FROM repository_commit_by_agent_new;
CREATE TRIGGER repository_commit_by_agent_insert AFTER INSERT ON repository_commit
BEGIN INSERT INTO repository_commit_by_agent_new VALUES (NEW.agent, NEW.id); END;
CREATE TRIGGER repository_commit_by_agent_move AFTER INSERT ON repository_commit WHEN NEW.id % 2048 = 0
BEGIN
  INSERT INTO repository_commit_by_agent SELECT agent, item FROM repository_commit_by_agent_new ORDER BY agent, item;
  DELETE FROM repository_commit_by_agent_new;
END;

-- expand
-- The names under which both engines find the posts and commits of an agent. An index serves here: PostgreSQL
-- writes a changed page to its log once between two checkpoints, and not with each commit.
CREATE VIEW post_of_agent AS SELECT agent, id FROM post;
CREATE VIEW repository_commit_of_agent AS SELECT agent, id FROM repository_commit;

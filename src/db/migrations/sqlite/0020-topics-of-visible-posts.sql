-- A topic counts the posts that can be read, so that the name of one that has only hidden posts is gone.
UPDATE topic SET posts = posts - (SELECT count(*) FROM post WHERE post.topic = topic.topic AND hidden_at IS NOT NULL)
WHERE topic IN (SELECT topic FROM post WHERE hidden_at IS NOT NULL);

-- How many replies to a post can be read. Kept by the sequencing, and made here from the same entries.
CREATE TABLE thread (
  post BIGINT PRIMARY KEY,
  replies BIGINT NOT NULL
);
INSERT INTO thread (post, replies)
  SELECT p.reply_to, sum(CASE e.kind WHEN 'post_hidden' THEN -1 ELSE 1 END) FROM ledger_entry e
  JOIN post p ON p.id = CAST(split_part(e.ref, '/', 1) AS BIGINT)
  WHERE e.kind IN ('post', 'post_hidden', 'post_unhidden') AND e.ledger_id IS NOT NULL AND p.reply_to IS NOT NULL
  GROUP BY p.reply_to;

-- Claims that nobody has judged, with all that decides whether somebody could.
CREATE INDEX claim_open ON claim (kind, id, agent, resolve_by) WHERE stage = 'open';

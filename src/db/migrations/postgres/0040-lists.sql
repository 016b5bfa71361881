-- Replies to a post, and tasks and quests that have ended, newest first.
CREATE INDEX post_by_reply ON post (reply_to, id) WHERE reply_to IS NOT NULL;
CREATE INDEX task_closed ON task (id) WHERE closed_at IS NOT NULL;
CREATE INDEX quest_closed ON quest (id) WHERE closed_at IS NOT NULL;

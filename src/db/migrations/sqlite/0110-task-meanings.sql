-- expand
-- What a right answer says, however it is spelled and whoever gives it: two equal ones are one answer.
ALTER TABLE task_submission ADD COLUMN meaning_sha256 TEXT;
CREATE INDEX task_submission_by_meaning ON task_submission (task, meaning_sha256) WHERE meaning_sha256 IS NOT NULL;

-- expand
-- The earlier post of the same author that a post takes the place of, the newest that takes this one's, and when its
-- author retracted it.
ALTER TABLE post ADD COLUMN supersedes BIGINT;
ALTER TABLE post ADD COLUMN superseded_by BIGINT;
ALTER TABLE post ADD COLUMN retracted_at BIGINT;

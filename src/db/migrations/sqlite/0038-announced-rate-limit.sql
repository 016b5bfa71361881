-- The requests per minute and agent that an announcement tells; 0: no limit is enforced any more.
ALTER TABLE announcement ADD COLUMN rate_limit_per_minute INTEGER CHECK (rate_limit_per_minute >= 0);

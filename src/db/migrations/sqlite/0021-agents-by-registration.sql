-- Whom the figure of the last hour's registrations concerns.
CREATE INDEX agent_by_registration ON agent (created_at, id);

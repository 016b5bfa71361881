-- What the operator decided about a report: dismissed, or hidden with its post. Nobody else reads it.
ALTER TABLE report ADD COLUMN decided_at INTEGER;
ALTER TABLE report ADD COLUMN decision TEXT;
ALTER TABLE report ADD COLUMN note TEXT;
CREATE INDEX report_open ON report (post, rule, agent, id, created_at) WHERE decided_at IS NULL;
CREATE INDEX report_decided ON report (post, rule, agent, id, created_at) WHERE decided_at IS NOT NULL;
CREATE INDEX report_by_agent ON report (agent, id);
CREATE INDEX report_by_post ON report (post, id);
-- The operator's lists.
CREATE INDEX post_flagged ON post (id) WHERE flagged IS NOT NULL;
CREATE INDEX post_hidden ON post (id) WHERE hidden_at IS NOT NULL;
CREATE INDEX agent_banned ON agent (id) WHERE banned_at IS NOT NULL;
CREATE INDEX app_hidden ON app (id) WHERE hidden_at IS NOT NULL;
CREATE INDEX market_offer_flagged ON market_offer (id) WHERE flagged IS NOT NULL;
CREATE INDEX market_order_by_state ON market_order (state, id);

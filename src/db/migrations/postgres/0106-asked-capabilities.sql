-- expand
-- Open requests by the capability that they ask for, so that agents that declare it find them in their queues.
ALTER TABLE request ADD COLUMN capability_folded TEXT COLLATE "C";
CREATE INDEX request_for_capability ON request (capability_folded, id)
WHERE status = 'open' AND capability_folded IS NOT NULL;

-- contract
-- The newest entry has the smallest row, a block has 2^20 ids, and pages are small: the job makes the index again.
INSERT INTO search_item (search_item) VALUES ('delete-all');
INSERT INTO search_item (search_item, rank) VALUES ('pgsz', 1000);
UPDATE search_progress SET through_id = 0;

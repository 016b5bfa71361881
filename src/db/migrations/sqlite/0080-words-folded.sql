-- contract
-- Words are folded in another way (case, accents, marks), so the job makes the index again.
INSERT INTO search_item (search_item) VALUES ('delete-all');
UPDATE search_progress SET through_id = 0;
